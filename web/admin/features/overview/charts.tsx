import '@mantine/charts/styles.css'
import { AreaChart, BarChart } from '@mantine/charts'
import { Stack } from '@mantine/core'
import { useKnownStore } from '../../shared/api/stores.ts'
import { useFormats } from '../../shared/format/formats.ts'
import { PlainTable } from '../../shared/ui/plain-table.tsx'
import { Section } from '../../shared/ui/section.tsx'
import type { Metrics } from './queries.ts'
import { useOverviewTexts } from './texts.ts'

const HEIGHT = 220

/** Members, revenue and comings and goings by day, and the same as a table for those who would rather read it. */
export function Charts({ metrics }: { metrics: Metrics }) {
  const { currency } = useKnownStore()
  const texts = useOverviewTexts()
  const { money, count, date } = useFormats()
  const { series, charts } = texts
  const days = metrics.series.map((day) => ({ ...day, date: date(day.date) }))
  const amount = (value: number) => money(value, currency)
  const shared = { h: HEIGHT, data: days, dataKey: 'date', tickLine: 'none', gridAxis: 'x' } as const
  return (
    <Stack gap="lg">
      <Section title={charts.active}>
        <AreaChart
          {...shared}
          series={[{ name: 'active', label: series.active, color: 'teal.7' }]}
          curveType="linear"
          withDots={false}
          valueFormatter={count}
          yAxisProps={{ allowDecimals: false }}
        />
      </Section>
      <Section title={charts.revenue}>
        <BarChart
          {...shared}
          series={[{ name: 'revenue', label: series.revenue, color: 'teal.7' }]}
          valueFormatter={amount}
        />
      </Section>
      <Section title={charts.changes}>
        <BarChart
          {...shared}
          withLegend
          series={[
            { name: 'new', label: series.new, color: 'teal.7' },
            { name: 'cancelled', label: series.cancelled, color: 'orange.7' }
          ]}
          valueFormatter={count}
          yAxisProps={{ allowDecimals: false }}
        />
        <details>
          <summary>{charts.asTable}</summary>
          <PlainTable
            label={charts.asTable}
            rows={days.toReversed()}
            keyOf={(day) => day.date}
            empty=""
            columns={[
              { title: series.day, cell: (day) => day.date },
              { title: series.active, isNumber: true, cell: (day) => count(day.active) },
              { title: series.new, isNumber: true, cell: (day) => count(day.new) },
              { title: series.cancelled, isNumber: true, cell: (day) => count(day.cancelled) },
              { title: series.revenue, isNumber: true, cell: (day) => amount(day.revenue) }
            ]}
          />
        </details>
      </Section>
    </Stack>
  )
}
