import { Anchor } from '@mantine/core'
import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { useKnownStore } from '../../shared/api/stores.ts'
import { useFormats } from '../../shared/format/formats.ts'
import { Instant } from '../../shared/format/instant.tsx'
import { FactList } from '../../shared/ui/fact-list.tsx'
import { Section } from '../../shared/ui/section.tsx'
import type { Order } from './queries.ts'
import { useOrdersTexts } from './texts.ts'

/** The head of an order. What is not known or does not apply is left out. */
export function Details({ order }: { order: Order }) {
  const { id: store, timezone } = useKnownStore()
  const texts = useOrdersTexts()
  const { money } = useFormats()
  const { currency, classification, customer_id } = order
  const text = (label: string, value: string | null | undefined): [string, ReactNode][] =>
    value ? [[label, value]] : []
  const amount = (label: string, value: number | null): [string, ReactNode][] =>
    value === null || value === 0 ? [] : [[label, money(value, currency)]]
  const when = (label: string, at: string | null | undefined): [string, ReactNode][] =>
    at ? [[label, <Instant key={label} at={at} zone={timezone} />]] : []

  return (
    <Section title={texts.details}>
      <FactList
        facts={[
          [texts.id, order.id],
          ...(customer_id === null
            ? []
            : ([
                [
                  texts.columns.customer,
                  <Anchor key="customer" component={Link} to={`/stores/${store}/members/${customer_id}`} size="sm">
                    {order.customer_name ?? order.email ?? customer_id}
                  </Anchor>
                ]
              ] as [string, ReactNode][])),
          ...text(texts.email, order.email),
          ...when(texts.columns.placed, order.processed_at),
          ...when(texts.cancelled, order.cancelled_at),
          [texts.columns.payment, order.financial_status],
          [texts.columns.total, money(order.total, currency)],
          ...amount(texts.tax, order.tax),
          ...amount(texts.shipping, order.shipping),
          ...amount(texts.discount, order.discount),
          ...amount(texts.refunded, order.refunded),
          ...amount(texts.credit, order.paid_with_credit),
          ...text(texts.gateway, order.gateway),
          ...text(texts.columns.channel, order.channel),
          ...text(texts.country, [order.country_code, order.province].filter(Boolean).join(', ')),
          ...text(texts.codes, order.discount_codes.join(', ')),
          ...text(texts.tags, order.tags.join(', ')),
          ...text(texts.kind, classification?.checkout_type),
          ...text(texts.orderTag, classification?.order_tag),
          ...when(texts.waits, classification?.waits_until)
        ]}
      />
    </Section>
  )
}
