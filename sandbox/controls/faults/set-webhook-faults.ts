import { sql } from '#kit/postgres'
import { invalidField } from '#kit/refusal'
import type { Platform } from '../../http.ts'
import type { WebhookFaults } from '../../outgoing/webhook-faults.ts'
import { shopOf } from '../refusals.ts'

const SHARES = ['drop', 'duplicate', 'late'] as const
const MAX_DELAY_HOURS = 24 * 30

/** Sets faults for the shop's webhooks from now on; null removes them. The same seed produces the same faults. */
export async function setWebhookFaults(
  platform: Platform,
  { storeId, faults }: { storeId: number; faults: WebhookFaults | null }
): Promise<void> {
  await shopOf(platform, storeId)
  for (const name of SHARES) {
    const share = faults?.[name] ?? 0
    if (!(share >= 0 && share <= 1)) throw invalidField(name, 'must be a share from 0 to 1')
  }
  const hours = faults?.delayHours ?? 0
  if (!(hours >= 0 && hours <= MAX_DELAY_HOURS)) throw invalidField('delayHours', `must be 0 to ${MAX_DELAY_HOURS}`)
  await platform.db.direct.run(sql`
    update sandbox.shops set webhook_faults = ${faults && JSON.stringify(faults)}::jsonb, faulty_messages = 0
     where store_id = ${storeId}`)
}
