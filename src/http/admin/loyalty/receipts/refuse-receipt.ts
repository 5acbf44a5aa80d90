import { Type } from 'typebox'
import { receiptNotFound, refuseReceipt } from '#loyalty'
import { notBlank } from '../../../shared/not-blank.ts'
import type { Surface } from '../../../shared/surface.ts'
import { numberedParams, numberInPath } from '../../numbered.ts'
import { storeOf } from '../../store.ts'
import { presentReceipt, ReceiptBody } from './present-receipt.ts'

/** POST /stores/{store}/loyalty/receipts/{receipt}/refuse */
export function refuseReceiptRoute(admin: Surface): void {
  admin.post(
    '/stores/:store/loyalty/receipts/:receipt/refuse',
    {
      config: { allow: 'support' },
      schema: {
        operationId: 'refuseLoyaltyReceipt',
        summary: 'Refuse a receipt',
        description:
          'One that was approved loses what it has earned, at most what is left of it. Safe to repeat; another reason replaces the first.',
        params: numberedParams('receipt', 'a receipt'),
        body: Type.Object({
          reason: notBlank(500, { meaning: 'Why, for the people who run the store', examples: ['It cannot be read'] })
        }),
        response: { 200: ReceiptBody }
      }
    },
    async (request) => {
      const id = numberInPath(request.params.receipt, receiptNotFound)
      const refused = await request.inStore((ctx) => refuseReceipt(ctx, id, request.body.reason))
      return presentReceipt(refused, storeOf(request).currency)
    }
  )
}
