import { type Static, type TObject, Type } from 'typebox'
import { isoOf, isoOrNull } from '#kit/clock'
import { publicId } from '#kit/ids'
import { numberOf } from '#kit/money'
import type { OrderEffects } from '#order-effects'
import { OrNull, Timestamp } from '#resources'
import { textOrNull } from './order-fields.ts'

/** What followed from an order here: its kind, its subscriptions, and what it did to credit and points. */
export const effectsFields = {
  classification: OrNull(
    Type.Object(
      {
        checkout_type: textOrNull('`VIP`, `Product Subscription` or `PAYG`; null while it waits'),
        order_tag: textOrNull(
          '`New-vip`, `recharge`, `trial fee`, `New-SubsProd` or `SubsProd-Recharge`; empty for any other order, null while it waits'
        ),
        charge_number: OrNull(
          Type.Integer({ description: "It is the contract's n-th order; null without a contract" })
        ),
        autocharge_status: textOrNull('`Dispute`, `refunded`, `voided` or empty; null while it waits'),
        waits_until: OrNull(Timestamp('Until when it waits for its contract; null when it does not')),
        tags: Type.Array(Type.String(), { description: 'The tags that Perennial keeps on it on the platform' })
      },
      { description: 'What kind of order it was; null while nobody has looked at it' }
    )
  ),
  subscriptions: Type.Array(
    Type.Object({
      id: Type.String({ description: 'The subscription, `sub_7`' }),
      billing_attempt_id: textOrNull('The charge that it was placed for, `ba_154`; null for a checkout'),
      part: Type.String({ description: '`trial` or `signup` of the checkout that began it, or `renewal`' }),
      order_number: Type.Integer({ description: "It is the subscription's n-th order" })
    }),
    { description: 'The subscriptions that it belongs to' }
  ),
  ledger: Type.Array(
    Type.Object({
      id: Type.String({ description: 'The entry: `sct_8` of store credit, `8` of points' }),
      of: Type.String({ description: '`credit` or `points`' }),
      customer_id: Type.String({ description: 'Whose account, `cust_7`' }),
      amount: Type.Number({
        description: "Points, or store credit in the store's currency; negative when it was deducted"
      }),
      shortfall: Type.Number({
        description:
          'What could not be deducted since the balance was too small; below zero: what of an earlier shortfall was taken later, or is no longer asked for'
      }),
      reverses: textOrNull('The entry that it takes back or restores'),
      reason: Type.String({ description: 'Why' }),
      created_at: Timestamp('When')
    }),
    {
      description:
        'What it issued and used of store credit and points, and what was taken back or restored, oldest first'
    }
  )
}

/** Amounts of the ledger are in the store's currency. */
export function presentEffects(
  { kind, links, entries }: OrderEffects,
  storeCurrency: string
): Static<TObject<typeof effectsFields>> {
  return {
    classification: kind && {
      checkout_type: kind.checkoutType,
      order_tag: kind.orderTag,
      charge_number: kind.chargeNumber,
      autocharge_status: kind.autochargeStatus,
      waits_until: isoOrNull(kind.waitsUntil),
      tags: kind.wantedTags
    },
    subscriptions: links.map((link) => ({
      id: publicId('sub', link.subscriptionId),
      billing_attempt_id: link.attemptId === null ? null : publicId('ba', link.attemptId),
      part: link.part,
      order_number: link.orderNumber
    })),
    ledger: entries.map((entry) => {
      const of = (value: number) => (entry.ledger === 'credit' ? numberOf(value, storeCurrency) : value)
      const idOf = (id: number) => (entry.ledger === 'credit' ? publicId('sct', id) : String(id))
      return {
        id: idOf(entry.id),
        of: entry.ledger,
        customer_id: publicId('cust', entry.memberId),
        amount: of(entry.amount),
        shortfall: of(entry.shortfall),
        reverses: entry.reversesId === null ? null : idOf(entry.reversesId),
        reason: entry.reason,
        created_at: isoOf(entry.createdAt)
      }
    })
  }
}
