import { sql } from '#kit/postgres'
import { invalidField } from '#kit/refusal'
import type { Platform } from '../../http.ts'
import type { BulkFaults } from '../../state/bulk-operations.ts'
import { shopOf } from '../refusals.ts'

/** Sets faults for the shop's next bulk operations; null removes them. Running operations are not affected. */
export async function setBulkFaults(
  platform: Platform,
  { storeId, faults }: { storeId: number; faults: BulkFaults | null }
): Promise<void> {
  await shopOf(platform, storeId)
  const { maxAtOnce = 1, next = [] } = faults ?? {}
  if (!(Number.isInteger(maxAtOnce) && maxAtOnce >= 1)) throw invalidField('maxAtOnce', 'must be 1 or more')
  for (const { afterRoots = 0, stepMinutes = 0 } of next) {
    if (!(afterRoots >= 0 && stepMinutes >= 0)) throw invalidField('next', 'must be numbers of 0 or more')
  }
  await platform.db.direct.run(sql`
    update sandbox.shops set bulk_faults = ${faults && JSON.stringify({ ...faults, next })}::jsonb
     where store_id = ${storeId}`)
}
