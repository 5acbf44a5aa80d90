import { Anchor, Paper, SimpleGrid, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { useKnownStore } from '../../shared/api/stores.ts'
import { useFormats } from '../../shared/format/formats.ts'
import { Compared } from './compared.tsx'
import type { Metrics } from './queries.ts'
import { useOverviewTexts } from './texts.ts'

/** The figures by which owners steer, each with its change since the period before. */
export function Figures({ metrics }: { metrics: Metrics }) {
  const { id, currency } = useKnownStore()
  const texts = useOverviewTexts()
  const { money, count, share } = useFormats()
  const { previous } = metrics
  const at = (path: string) => `/stores/${id}/${path}`
  const amount = (value: number) => money(value, currency)
  const rate = (value: number | null) => (value === null ? '–' : share(value))

  return (
    <SimpleGrid cols={{ base: 1, xs: 2, md: 3 }} spacing="md">
      <Figure
        label={texts.figures.active}
        to={at('members?status=active')}
        value={count(metrics.members.active)}
        more={texts.figures.changes({
          fresh: count(metrics.members.new),
          cancelled: count(metrics.members.cancelled),
          paused: metrics.members.paused > 0 ? count(metrics.members.paused) : null
        })}
      >
        <Compared now={metrics.members.active} before={previous.members.active} />
      </Figure>
      <Figure label={texts.figures.mrr} value={amount(metrics.mrr)} more={texts.figures.arr(amount(metrics.arr))}>
        <Compared now={metrics.mrr} before={previous.mrr} />
      </Figure>
      <Figure label={texts.figures.churn} value={rate(metrics.churn_rate)} more={texts.figures.churnMore}>
        <Compared now={metrics.churn_rate} before={previous.churn_rate} lessIsBetter isShare />
      </Figure>
      <Figure
        label={texts.figures.revenue}
        value={amount(metrics.revenue)}
        more={texts.figures.refunds(amount(metrics.refunds))}
      >
        <Compared now={metrics.revenue} before={previous.revenue} />
      </Figure>
      <Figure
        label={texts.figures.recovered}
        value={amount(metrics.billing.recovered_amount)}
        more={texts.figures.atRisk(amount(metrics.billing.at_risk_amount))}
      >
        <Compared now={metrics.billing.recovered_amount} before={previous.billing.recovered_amount} />
      </Figure>
      <Figure
        label={texts.figures.credit}
        value={amount(metrics.store_credits.outstanding)}
        more={texts.figures.redeemed(amount(metrics.store_credits.redeemed))}
      >
        <Compared now={metrics.store_credits.outstanding} before={previous.store_credits.outstanding} isNeutral />
      </Figure>
    </SimpleGrid>
  )
}

function Figure({
  label,
  value,
  more,
  to,
  children
}: {
  label: string
  value: string
  more: string
  to?: string
  children: ReactNode
}) {
  return (
    <Paper withBorder p="md">
      {to ? (
        <Anchor component={Link} to={to} size="sm" display="block">
          {label}
        </Anchor>
      ) : (
        <Text size="sm" c="dimmed">
          {label}
        </Text>
      )}
      <Text size="xl" fw={600} className="figure">
        {value}
      </Text>
      {children}
      <Text size="xs" c="dimmed">
        {more}
      </Text>
    </Paper>
  )
}
