import { type Static, Type } from 'typebox'
import { findCredit, findCreditTotals, listCreditEntries } from '#credits'
import { isoOf, isoOrNull } from '#kit/clock'
import { publicId } from '#kit/ids'
import { numberOf } from '#kit/money'
import type { Ctx } from '#kit/postgres'
import { Amount, CREDIT_ENTRY_TYPES, OrNull, Timestamp } from '#resources'

/** The latest entries are shown with an account. */
const ENTRIES = 20

const EntryBody = Type.Object({
  id: Type.String({ description: 'The id of the entry' }),
  type: Type.Unsafe<(typeof CREDIT_ENTRY_TYPES)[number]>(
    Type.Union(
      CREDIT_ENTRY_TYPES.map((type) => Type.Literal(type)),
      { description: 'Why the entry was made' }
    )
  ),
  amount: Amount('Positive for credit that was added, negative for credit that was deducted'),
  balance_after: Amount('The balance after this entry'),
  shortfall: Amount(
    'What could not be deducted since the balance was too small; below zero: what of an earlier shortfall was taken later, or is no longer asked for'
  ),
  reverses: OrNull(Type.String({ description: 'The entry that this one takes back or restores' })),
  reason: Type.String({ description: 'The reason' }),
  order_id: OrNull(Type.String({ description: 'The order that the entry belongs to' })),
  expires_at: OrNull(Timestamp('When the rest of this credit expires')),
  created_at: Timestamp('When the entry was made')
})

export const CreditAccountBody = Type.Object(
  {
    customer_id: Type.String({ description: 'The customer id' }),
    balance: Amount('The sum of all entries, in `currency`'),
    reserved: Amount('Held by open reservations, for checkouts'),
    available: Amount('What the customer can spend now'),
    currency: Type.String({ description: 'ISO 4217' }),
    charged: Amount('Issued in all: paid cycles, churn offers, loyalty rewards, imports'),
    used: Amount('Spent on orders in all, without what was restored'),
    refunded: Amount('Taken back because of refunds'),
    disputed: Amount('Taken back because of disputes, without what was given back'),
    forfeit: Amount('Forfeited and expired in all'),
    reconciled: Amount('Added and deducted by hand and by reconciliation, in sum'),
    last_forfeit_at: OrNull(Timestamp('When credit was last forfeited or expired')),
    last_reconciled_at: OrNull(Timestamp('When credit was last adjusted by hand')),
    updated_at: OrNull(Timestamp('When the latest entry was made; null without entries')),
    entries: Type.Array(EntryBody, { description: `The latest ${ENTRIES} entries, newest first` })
  },
  {
    title: 'CreditAccount',
    description:
      "A customer's store credit: charged - used - refunded - disputed - forfeit + reconciled is the balance.",
    examples: [
      {
        customer_id: 'cust_24',
        balance: 15,
        reserved: 0,
        available: 15,
        currency: 'EUR',
        charged: 10,
        used: 0,
        refunded: 0,
        disputed: 0,
        forfeit: 0,
        reconciled: 5,
        last_forfeit_at: null,
        last_reconciled_at: '2026-09-15T05:25:00.000Z',
        updated_at: '2026-09-15T05:25:00.000Z',
        entries: [
          {
            id: 'sct_8',
            type: 'manual_add',
            amount: 5,
            balance_after: 15,
            shortfall: 0,
            reverses: null,
            reason: 'Sorry for the late parcel',
            order_id: null,
            expires_at: null,
            created_at: '2026-09-15T05:25:00.000Z'
          }
        ]
      }
    ]
  }
)

/** An account with its totals and latest entries, as the transaction sees it. */
export async function readCredit(
  ctx: Ctx,
  memberId: number,
  currency: string
): Promise<Static<typeof CreditAccountBody>> {
  const credit = await findCredit(ctx, memberId)
  const totals = await findCreditTotals(ctx, memberId)
  const { rows } = await listCreditEntries(ctx, memberId, { limit: ENTRIES, offset: 0 })
  const money = (minor: number) => numberOf(minor, currency)
  return {
    customer_id: publicId('cust', memberId),
    balance: money(credit.balanceMinor),
    reserved: money(credit.reservedMinor),
    available: money(credit.availableMinor),
    currency,
    charged: money(totals.chargedMinor),
    used: money(totals.usedMinor),
    refunded: money(totals.refundedMinor),
    disputed: money(totals.disputedMinor),
    forfeit: money(totals.forfeitMinor),
    reconciled: money(totals.reconciledMinor),
    last_forfeit_at: isoOrNull(totals.forfeitedAt),
    last_reconciled_at: isoOrNull(totals.reconciledAt),
    updated_at: isoOrNull(credit.updatedAt),
    entries: rows.map((entry) => ({
      id: publicId('sct', entry.id),
      type: entry.type,
      amount: money(entry.amountMinor),
      balance_after: money(entry.balanceAfterMinor),
      shortfall: money(entry.shortfallMinor),
      reverses: entry.reversesId === null ? null : publicId('sct', entry.reversesId),
      reason: entry.reason,
      order_id: entry.orderId === null ? null : publicId('ord', entry.orderId),
      expires_at: isoOrNull(entry.expiresAt),
      created_at: isoOf(entry.createdAt)
    }))
  }
}
