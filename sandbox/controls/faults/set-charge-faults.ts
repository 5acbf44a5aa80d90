import { sql } from '#kit/postgres'
import { invalidField } from '#kit/refusal'
import { CHARGE_SHARES, type ChargeFaults } from '../../billing/charge-faults.ts'
import type { Platform } from '../../http.ts'
import { shopOf } from '../refusals.ts'

/** Sets faults for the shop's charges from now on; null removes them. The same seed and keys produce the same faults. */
export async function setChargeFaults(
  platform: Platform,
  { storeId, faults }: { storeId: number; faults: ChargeFaults | null }
): Promise<void> {
  await shopOf(platform, storeId)
  await platform.db.direct.run(sql`
    update sandbox.shops set charge_faults = ${faults && JSON.stringify(checkedFaults(faults))}::jsonb
     where store_id = ${storeId}`)
  platform.shops.forget(storeId)
}

/** The faults; refuses a share that is none, and shares that are more than all charges. */
export function checkedFaults(faults: ChargeFaults): ChargeFaults {
  let sum = 0
  for (const name of Object.keys(CHARGE_SHARES) as (keyof typeof CHARGE_SHARES)[]) {
    const share = faults[name] ?? 0
    if (!(share >= 0 && share <= 1)) throw invalidField(name, 'must be a share from 0 to 1')
    sum += share
  }
  if (sum > 1) throw invalidField('never', 'must not be more than 1 together with the other shares')
  if (!((faults.keyMinutes ?? 0) >= 0)) throw invalidField('keyMinutes', 'must be 0 or more')
  return faults
}
