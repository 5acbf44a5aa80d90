import { Select, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useSearchFilters } from '../../shared/api/search-filters.ts'
import { useKnownStore } from '../../shared/api/stores.ts'
import { useFormats } from '../../shared/format/formats.ts'
import { useLanguage } from '../../shared/texts/language.tsx'
import { Bar } from '../../shared/ui/bar.tsx'
import { EmptyState } from '../../shared/ui/empty-state.tsx'
import { PlainTable } from '../../shared/ui/lists/plain-table.tsx'
import { QueryView } from '../../shared/ui/query-view.tsx'
import { Section } from '../../shared/ui/section.tsx'
import { byMonth, type Counts, STAYED } from './by-month.ts'
import { useReasonTitles } from './offers/offers.tsx'
import { type Report, reportQuery } from './queries.ts'
import { useRetentionTexts } from './texts.ts'

const SPANS = ['3', '6', '12', '24', '36']
const USUAL_SPAN = '12'

/** What came of offers: how often they were shown and accepted, and who was still there after that. */
export function SaveRate() {
  const { id } = useKnownStore()
  const [filters, change] = useSearchFilters(['months'])
  const months = SPANS.includes(filters.months) ? filters.months : USUAL_SPAN
  const report = useQuery(reportQuery(id, Number(months)))
  const texts = useRetentionTexts()
  return (
    <Stack gap="md">
      <Text c="dimmed" size="sm" maw={720}>
        {texts.reportAbout}
      </Text>
      <Select
        label={texts.months}
        value={months}
        allowDeselect={false}
        onChange={(value) => change({ months: value === USUAL_SPAN ? '' : (value ?? '') })}
        data={SPANS.map((value) => ({ value, label: texts.monthsOf(value) }))}
        w={220}
      />
      <QueryView query={report} height={240}>
        {(found) =>
          found.data.length === 0 ? (
            <EmptyState title={texts.noReport} text={texts.noReportText} />
          ) : (
            <>
              <Months report={found} />
              <Rows report={found} />
            </>
          )
        }
      </QueryView>
    </Stack>
  )
}

function Months({ report }: { report: Report }) {
  const texts = useRetentionTexts()
  const { count, percent } = useFormats()
  const monthName = useMonthNames()
  const acceptance = ({ shown, accepted }: Counts) => (shown === 0 ? null : accepted / shown)
  return (
    <Section title={texts.byMonth}>
      <PlainTable
        label={texts.byMonth}
        rows={byMonth(report)}
        keyOf={({ month }) => month}
        empty=""
        columns={[
          { title: texts.month, cell: ({ month }) => monthName(month) },
          { title: texts.timesShown, isNumber: true, cell: ({ shown }) => count(shown) },
          { title: texts.timesAccepted, isNumber: true, cell: ({ accepted }) => count(accepted) },
          { title: texts.acceptance, cell: (row) => <Share share={acceptance(row)} words={null} /> },
          ...STAYED.map(([key, days]) => ({
            title: texts.saved(days),
            cell: (row: Counts) => <Stayed counts={row[key]} />
          }))
        ]}
        sums={[
          texts.total,
          count(report.total.shown),
          count(report.total.accepted),
          report.total.shown > 0 && percent(Math.round((100 * report.total.accepted) / report.total.shown)),
          ...STAYED.map(([key]) => <Stayed key={key} counts={report.total[key]} />)
        ]}
      />
    </Section>
  )
}

function Rows({ report }: { report: Report }) {
  const texts = useRetentionTexts()
  const titleOf = useReasonTitles()
  const { count } = useFormats()
  const monthName = useMonthNames()
  return (
    <Section title={texts.byOffer}>
      <PlainTable
        label={texts.byOffer}
        rows={report.data}
        keyOf={({ month, reason, offer_id }) => `${month} ${reason} ${offer_id}`}
        empty=""
        columns={[
          { title: texts.month, cell: ({ month }) => monthName(month) },
          { title: texts.reason, cell: ({ reason }) => (reason === null ? texts.withoutReason : titleOf(reason)) },
          {
            title: texts.offer,
            cell: ({ offer_name }) => (
              <Text size="sm" lineClamp={3} className="wrap-anywhere">
                {offer_name ?? texts.withoutOffer}
              </Text>
            )
          },
          { title: texts.timesShown, isNumber: true, cell: ({ shown }) => count(shown) },
          { title: texts.timesAccepted, isNumber: true, cell: ({ accepted }) => count(accepted) },
          ...STAYED.map(([key, days]) => ({
            title: texts.saved(days),
            cell: (row: Counts) => <Stayed counts={row[key]} />
          }))
        ]}
      />
    </Section>
  )
}

function Stayed({ counts: { accepted, active } }: { counts: { accepted: number; active: number } }) {
  const texts = useRetentionTexts()
  const { count } = useFormats()
  if (accepted === 0) return <Text size="sm">–</Text>
  return <Share share={active / accepted} words={texts.of(count(active), count(accepted))} />
}

function Share({ share, words }: { share: number | null; words: string | null }) {
  const { percent } = useFormats()
  if (share === null) return '–'
  return (
    <Stack gap={4} miw={100}>
      <span>{[percent(Math.round(share * 100)), words].filter(Boolean).join(' · ')}</span>
      <Bar share={share} />
    </Stack>
  )
}

/** `2026-11` as people write it. */
function useMonthNames(): (month: string) => string {
  const { locale } = useLanguage()
  const names = new Intl.DateTimeFormat(locale, { month: 'long', year: 'numeric', timeZone: 'UTC' })
  return (month) => names.format(new Date(`${month}-01T00:00:00Z`))
}
