import { type Static, Type } from 'typebox'
import { isoOf, isoOrNull } from '#kit/clock'
import { publicId } from '#kit/ids'
import { decimalOf } from '#kit/money'
import type { Receipt } from '#loyalty'
import { OrNull, Timestamp } from '#resources'

const optional = (description: string) => OrNull(Type.String({ description }))

export const ReceiptBody = Type.Object(
  {
    id: Type.Integer({ description: 'Its id' }),
    status: Type.String({ description: '`waiting`, `approved` or `refused`' }),
    customer_id: Type.String({ description: 'Who has sent it' }),
    platform_customer_id: optional("The platform's number of the customer"),
    rule_id: Type.Integer({ description: 'The rule by which it counts' }),
    rule_name: Type.String({ description: 'Its name' }),
    retailer: Type.String({ description: 'The shop that the customer has entered' }),
    purchased_on: Type.String({ format: 'date', description: 'The day that the customer has entered' }),
    receipt_number: optional('The number that the customer has entered'),
    amount: Type.String({ description: 'What the customer has entered; a decimal' }),
    approved_amount: optional('What counts; a decimal'),
    points: OrNull(Type.Integer({ description: 'What it has earned, and was not taken back' })),
    decided_by: optional('`operator`, or `rule` where that approves receipts at once'),
    reason: optional('Why it was refused'),
    content_type: Type.String({ description: 'What its file is' }),
    file_bytes: Type.Integer({ description: 'How long its file is' }),
    has_file: Type.Boolean({ description: 'Whether its file is still kept' }),
    decided_at: OrNull(Timestamp('When it was decided')),
    created_at: Timestamp('When it was sent'),
    updated_at: Timestamp('When it last changed')
  },
  {
    title: 'LoyaltyReceipt',
    description: 'A receipt of a purchase elsewhere that a customer has sent.',
    examples: [
      {
        id: 815,
        status: 'approved',
        customer_id: 'cust_24',
        platform_customer_id: '7064055069370',
        rule_id: 12,
        rule_name: 'Receipts',
        retailer: 'Corner Store',
        purchased_on: '2026-11-27',
        receipt_number: 'A-1007',
        amount: '29.00',
        approved_amount: '28.50',
        points: 28,
        decided_by: 'operator',
        reason: null,
        content_type: 'image/jpeg',
        file_bytes: 812345,
        has_file: true,
        decided_at: '2026-11-29T05:00:00.000Z',
        created_at: '2026-11-29T04:00:00.000Z',
        updated_at: '2026-11-29T05:00:00.000Z'
      }
    ]
  }
)

export const presentReceipt = (receipt: Receipt, currency: string): Static<typeof ReceiptBody> => ({
  id: receipt.id,
  status: receipt.status,
  customer_id: publicId('cust', receipt.memberId),
  platform_customer_id: receipt.customerId,
  rule_id: receipt.ruleId,
  rule_name: receipt.ruleName,
  retailer: receipt.retailer,
  purchased_on: String(receipt.purchasedOn),
  receipt_number: receipt.number,
  amount: decimalOf(receipt.amountMinor, currency),
  approved_amount: receipt.approvedMinor === null ? null : decimalOf(receipt.approvedMinor, currency),
  points: receipt.points,
  decided_by: receipt.decidedBy,
  reason: receipt.reason,
  content_type: receipt.contentType,
  file_bytes: receipt.fileBytes,
  has_file: receipt.fileName !== null,
  decided_at: isoOrNull(receipt.decidedAt),
  created_at: isoOf(receipt.uploadedAt),
  updated_at: isoOf(receipt.updatedAt)
})
