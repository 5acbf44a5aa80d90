import { type Static, Type } from 'typebox'
import { isoOf } from '#kit/clock'
import { decimalOf } from '#kit/money'
import { RECEIPT_STATUSES, type Receipt } from '#loyalty'
import { OrNull, Timestamp } from '#resources'

/** A receipt as its customer sees it. */
export const ShopperReceipt = Type.Object(
  {
    id: Type.Integer({ description: 'Its id' }),
    status: Type.Unsafe<Receipt['status']>({
      type: 'string',
      enum: [...RECEIPT_STATUSES],
      description: '`waiting` until an operator has looked at it; `approved` or `refused` then'
    }),
    rule_id: Type.Integer({ description: 'The rule by which it counts' }),
    retailer: Type.String({ description: 'The shop' }),
    purchased_on: Type.String({ format: 'date', description: 'The day of the purchase' }),
    receipt_number: OrNull(Type.String({ description: 'The number on it; null: none was entered' })),
    amount: Type.String({ description: 'What was entered; a decimal' }),
    points: OrNull(Type.Integer({ description: 'What it has earned; null: nothing' })),
    created_at: Timestamp('When it was sent')
  },
  {
    title: 'ShopperReceipt',
    description: 'A receipt that a customer has sent.',
    examples: [
      {
        id: 815,
        status: 'waiting',
        rule_id: 12,
        retailer: 'Corner Store',
        purchased_on: '2026-11-27',
        receipt_number: 'A-1007',
        amount: '29.00',
        points: null,
        created_at: '2026-11-29T04:00:00.000Z'
      }
    ]
  }
)

export const presentShopperReceipt = (receipt: Receipt, currency: string): Static<typeof ShopperReceipt> => ({
  id: receipt.id,
  status: receipt.status,
  rule_id: receipt.ruleId,
  retailer: receipt.retailer,
  purchased_on: String(receipt.purchasedOn),
  receipt_number: receipt.number,
  amount: decimalOf(receipt.amountMinor, currency),
  points: receipt.points,
  created_at: isoOf(receipt.uploadedAt)
})
