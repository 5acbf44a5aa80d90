import { Anchor } from '@mantine/core'
import { Link } from 'react-router'
import { useKnownStore } from '../../shared/api/stores.ts'
import { useFormats } from '../../shared/format/formats.ts'
import { Instant } from '../../shared/format/instant.tsx'
import { type Fact, FactList } from '../../shared/ui/fact-list.tsx'
import { Section } from '../../shared/ui/section.tsx'
import type { Order } from './queries.ts'
import { useOrdersTexts } from './texts.ts'

/** The head of an order. What is not known or does not apply is left out. */
export function Details({ order }: { order: Order }) {
  const { id: store, timezone } = useKnownStore()
  const texts = useOrdersTexts()
  const { money } = useFormats()
  const { currency, classification, customer_id } = order
  const amount = (value: number | null) => value !== null && value !== 0 && money(value, currency)
  const when = (label: string, at: string | null | undefined): Fact => [
    label,
    at ? <Instant key={label} at={at} zone={timezone} /> : null
  ]

  return (
    <Section title={texts.details}>
      <FactList
        facts={[
          [texts.id, order.id],
          [
            texts.columns.customer,
            customer_id && (
              <Anchor key="customer" component={Link} to={`/stores/${store}/members/${customer_id}`} size="sm">
                {order.customer_name ?? order.email ?? customer_id}
              </Anchor>
            )
          ],
          [texts.email, order.email || null],
          when(texts.columns.placed, order.processed_at),
          when(texts.cancelled, order.cancelled_at),
          [texts.columns.payment, order.financial_status],
          [texts.columns.total, money(order.total, currency)],
          [texts.tax, amount(order.tax)],
          [texts.shipping, amount(order.shipping)],
          [texts.discount, amount(order.discount)],
          [texts.refunded, amount(order.refunded)],
          [texts.credit, amount(order.paid_with_credit)],
          [texts.gateway, order.gateway || null],
          [texts.columns.channel, order.channel || null],
          [texts.country, [order.country_code, order.province].filter(Boolean).join(', ') || null],
          [texts.codes, order.discount_codes.join(', ') || null],
          [texts.tags, order.tags.join(', ') || null],
          [texts.kind, classification?.checkout_type || null],
          [texts.orderTag, classification?.order_tag || null],
          when(texts.waits, classification?.waits_until)
        ]}
      />
    </Section>
  )
}
