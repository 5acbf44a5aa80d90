import { Anchor } from '@mantine/core'
import { Link } from 'react-router'
import { useKnownStore } from '../../shared/api/stores.ts'
import { useFormats } from '../../shared/format/formats.ts'
import { Instant } from '../../shared/format/instant.tsx'
import { PlainTable } from '../../shared/ui/lists/plain-table.tsx'
import { Section } from '../../shared/ui/section.tsx'
import type { Order } from './queries.ts'
import { useOrdersTexts } from './texts.ts'

type Props = { order: Order }

export function Lines({ order: { lines, currency } }: Props) {
  const texts = useOrdersTexts()
  const { money, count } = useFormats()
  const { lineColumns: columns } = texts
  return (
    <Section title={texts.lines}>
      <PlainTable
        label={texts.lines}
        rows={lines.map((line, nth) => ({ ...line, nth }))}
        keyOf={({ nth }) => String(nth)}
        empty={texts.incomplete}
        columns={[
          { title: columns.what, cell: ({ title }) => title },
          { title: columns.quantity, isNumber: true, cell: ({ quantity }) => count(quantity) },
          { title: columns.price, isNumber: true, cell: ({ price }) => money(price, currency) },
          { title: columns.discount, isNumber: true, cell: ({ discount }) => money(discount, currency) }
        ]}
      />
    </Section>
  )
}

/** Payments as the platform made them, and refunds that it reports without one. */
export function Movements({ order: { transactions, refunds, currency } }: Props) {
  const { timezone } = useKnownStore()
  const texts = useOrdersTexts()
  const { money } = useFormats()
  const { movementColumns: columns } = texts
  const rows =
    transactions.length > 0
      ? transactions.map(({ id, kind, status, gateway, amount, processed_at }) => ({
          ...{ id, amount, at: processed_at },
          what: [texts.kinds[kind] ?? kind, gateway, status === 'success' ? null : status].filter(Boolean).join(', ')
        }))
      : refunds.map(({ id, amount, refunded_at }) => ({ id, amount, at: refunded_at, what: texts.refund }))
  return (
    <Section title={texts.movements}>
      <PlainTable
        label={texts.movements}
        rows={rows}
        keyOf={({ id }) => id}
        empty={texts.noMovements}
        columns={[
          { title: columns.when, cell: ({ at }) => <Instant at={at} zone={timezone} /> },
          { title: columns.what, cell: ({ what }) => what },
          { title: columns.amount, isNumber: true, cell: ({ amount }) => money(amount, currency) }
        ]}
      />
    </Section>
  )
}

export function Subscriptions({ order: { subscriptions } }: Props) {
  const { id: store } = useKnownStore()
  const texts = useOrdersTexts()
  const { count } = useFormats()
  const { subscriptionColumns: columns } = texts
  return (
    <Section title={texts.subscriptions}>
      <PlainTable
        label={texts.subscriptions}
        rows={subscriptions}
        keyOf={({ id, part }) => `${id} ${part}`}
        empty={texts.noSubscriptions}
        columns={[
          {
            title: columns.subscription,
            cell: ({ id }) => (
              <Anchor component={Link} to={`/stores/${store}/subscriptions/${id}`} size="sm">
                {id}
              </Anchor>
            )
          },
          { title: columns.part, cell: ({ part }) => texts.parts[part] ?? part },
          { title: columns.nth, isNumber: true, cell: ({ order_number }) => count(order_number) }
        ]}
      />
    </Section>
  )
}

export function Ledger({ order: { ledger } }: Props) {
  const { timezone, currency } = useKnownStore()
  const texts = useOrdersTexts()
  const { money, count } = useFormats()
  const { ledgerColumns: columns } = texts
  return (
    <Section title={texts.ledger}>
      <PlainTable
        label={texts.ledger}
        rows={ledger}
        keyOf={({ of, id }) => `${of} ${id}`}
        empty={texts.noLedger}
        columns={[
          { title: columns.when, cell: ({ created_at }) => <Instant at={created_at} zone={timezone} /> },
          { title: columns.what, cell: ({ of }) => texts.of[of] ?? of },
          {
            title: columns.amount,
            isNumber: true,
            cell: ({ of, amount }) => (of === 'points' ? count(amount) : money(amount, currency))
          },
          { title: columns.reason, cell: ({ reason }) => reason ?? '–' }
        ]}
      />
    </Section>
  )
}

export function Disputes({ order: { disputes } }: Props) {
  const { timezone } = useKnownStore()
  const texts = useOrdersTexts()
  const { disputeColumns: columns } = texts
  return (
    <Section title={texts.disputes}>
      <PlainTable
        label={texts.disputes}
        rows={disputes}
        keyOf={({ id }) => id}
        empty={texts.noDisputes}
        columns={[
          { title: columns.began, cell: ({ initiated_at }) => <Instant at={initiated_at} zone={timezone} /> },
          { title: columns.type, cell: ({ type }) => type },
          { title: columns.status, cell: ({ status }) => status },
          { title: columns.reason, cell: ({ reason }) => reason ?? '–' }
        ]}
      />
    </Section>
  )
}
