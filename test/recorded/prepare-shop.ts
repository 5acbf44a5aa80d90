// Makes a shop of the sandbox what the recorded store was, for the areas that need more than named objects.
import type { TestShop } from '../../sandbox/start-sandbox.test-helper.ts'
import { bringOperation, bringUpload } from './bring-bulk.ts'
import { bringCodes, bringDiscounts, bringFunctions, bringTags } from './bring-discounts.ts'
import type { Names } from './compare-answers.ts'
import { letPlatformWork } from './let-platform-work.ts'
import type { RecordedCall } from './recorded-calls.ts'

type Of = { shop: TestShop; name: string; file: any; names: Names }

/** Before the first call of a file. */
export async function prepareShop({ shop, name, file, names, calls }: Of & { calls: RecordedCall[] }): Promise<void> {
  const { storeId } = shop
  await bringFunctions(shop, file, names)
  await bringCodes({ shop, file, calls, names })
  // API versions before 2026 run one bulk operation of a type at a time.
  if (name.startsWith('bulk-operations/') && file.apiVersion < '2026') {
    await shop.sandbox.controls.setBulkFaults({ storeId, faults: { maxAtOnce: 1 } })
  }
  // The recorder watched this one for long: there were many products.
  if (name.endsWith('bulk-operation-cancel-preserves-fields.json')) {
    await shop.sandbox.controls.setBulkFaults({ storeId, faults: { next: [{ stepMinutes: 60 }] } })
  }
}

/** Before each call. */
export async function prepareCall({ shop, name, file, names, call }: Of & { call: RecordedCall }): Promise<void> {
  if (name.startsWith('discounts/')) await bringDiscounts({ shop, call, names })
  if (name.startsWith('segments/')) await bringTags(shop, call)
  if (name.startsWith('bulk-operations/')) {
    await bringOperation(shop, call, names)
    await bringUpload(shop, file, call, names)
  }
  await letPlatformWork(shop, name, call)
}
