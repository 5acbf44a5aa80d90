import { Type } from 'typebox'
import { listReceipts, RECEIPT_STATUSES } from '#loyalty'
import type { Surface } from '../../../shared/surface.ts'
import { Before, oneOf, Page, PageLimit, pageOf } from '../../fields.ts'
import { StoreParams, storeOf } from '../../store.ts'
import { customerFilter, namedCustomer } from '../loyalty-customer.ts'
import { presentReceipt, ReceiptBody } from './present-receipt.ts'

/** GET /stores/{store}/loyalty/receipts */
export function listReceiptsRoute(admin: Surface): void {
  admin.get(
    '/stores/:store/loyalty/receipts',
    {
      config: { allow: 'view' },
      schema: {
        operationId: 'listLoyaltyReceipts',
        summary: 'List receipts of customers',
        description: 'Newest first.',
        params: StoreParams,
        querystring: Type.Object({
          customer: customerFilter('Only receipts of this customer'),
          status: Type.Optional(oneOf(RECEIPT_STATUSES, { meaning: 'Only receipts with this status' })),
          limit: PageLimit,
          before: Before('a receipt', 'older receipts', 815)
        }),
        response: { 200: Page(ReceiptBody, 'The receipts') }
      }
    },
    (request) => {
      const { platformProfile, currency } = storeOf(request)
      const { customer, status = null, limit = 50, before: beforeId = null } = request.query
      return request.inStore(async (ctx) => {
        const memberId = customer === undefined ? null : await namedCustomer(ctx, customer, platformProfile)
        const found = await listReceipts(ctx, { memberId, status, beforeId, limit: limit + 1 })
        return pageOf(found, limit, (receipt) => presentReceipt(receipt, currency))
      })
    }
  )
}
