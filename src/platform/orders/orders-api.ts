import type { PlatformClient } from '../wire/client.ts'
import { findByIds } from '../wire/find-by-ids.ts'
import type { PlatformResult } from '../wire/outcome.ts'
import { OrdersByIds } from './documents.ts'
import { type PlatformOrder, readOrder } from './order.ts'

export type OrdersApi = {
  /** By id; leaves out orders that the platform does not have, or withholds from us. */
  findMany(ids: string[]): Promise<PlatformResult<Map<string, PlatformOrder>>>
}

export function createOrdersApi(client: PlatformClient): OrdersApi {
  return { findMany: (ids) => findByIds(client, 'Order', OrdersByIds, ids, readOrder, { withheld: 'missing' }) }
}
