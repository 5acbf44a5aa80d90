import { Type } from 'typebox'
import { minorOf } from '#kit/money'
import { invalidField } from '#kit/refusal'
import { approveReceipt, receiptNotFound } from '#loyalty'
import type { Surface } from '../../../shared/surface.ts'
import { amount } from '../../fields.ts'
import { numberedParams, numberInPath } from '../../numbered.ts'
import { storeOf } from '../../store.ts'
import { presentReceipt, ReceiptBody } from './present-receipt.ts'

const LIMITS = 'above 0 to 1000000000'

/** POST /stores/{store}/loyalty/receipts/{receipt}/approve */
export function approveReceiptRoute(admin: Surface): void {
  admin.post(
    '/stores/:store/loyalty/receipts/:receipt/approve',
    {
      config: { allow: 'support' },
      schema: {
        operationId: 'approveLoyaltyReceipt',
        summary: 'Approve a receipt',
        description:
          'The customer earns by what the rule said when the receipt was sent. Safe to repeat. Where it is approved already, another amount takes back what it has earned and gives it anew. One that was refused can be approved after all. 409 while loyalty is off, and where another receipt of the same purchase is not refused.',
        params: numberedParams('receipt', 'a receipt'),
        body: Type.Object({
          amount: Type.Optional(
            amount({
              limits: LIMITS,
              meaning: 'What counts instead of what the customer has entered',
              examples: ['28.50']
            })
          )
        }),
        response: { 200: ReceiptBody }
      }
    },
    async (request) => {
      const id = numberInPath(request.params.receipt, receiptNotFound)
      const { currency } = storeOf(request)
      const given = request.body?.amount
      const amountMinor = given === undefined ? null : positive(given, currency)
      const approved = await request.inStore((ctx) => approveReceipt(ctx, id, { amountMinor, by: 'operator' }))
      return presentReceipt(approved, currency)
    }
  )
}

function positive(given: string | number, currency: string): number {
  const minor = minorOf(given, currency)
  if (minor <= 0 || minor > minorOf(1_000_000_000, currency))
    throw invalidField('amount', `must be an amount ${LIMITS}`)
  return minor
}
