// The recorder waited until the real platform had done what it does later. Here it is told to.
import type { TestShop } from '../../sandbox/start-sandbox.test-helper.ts'
import type { RecordedCall } from './recorded-calls.ts'

/** Has the sandbox do what the answer of this call shows as done: all jobs, or a bulk operation as far as it is. */
export async function letPlatformWork(shop: TestShop, name: string, { answer }: RecordedCall): Promise<void> {
  if (name.startsWith('discounts/')) return shop.settle()
  const operation = answer.data?.bulkOperation ?? answer.data?.currentBulkOperation
  if (operation?.status === 'RUNNING') await shop.sandbox.engine.runOnce(shop.storeId)
  if (['COMPLETED', 'CANCELED', 'FAILED'].includes(operation?.status)) await shop.settle()
}
