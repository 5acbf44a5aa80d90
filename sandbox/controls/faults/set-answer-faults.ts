import { sql } from '#kit/postgres'
import { invalidField } from '#kit/refusal'
import type { AnswerFaults } from '../../answer-faults.ts'
import type { Platform } from '../../http.ts'
import { shopOf } from '../refusals.ts'

/** Has a share of the answers to the shop's mutations be lost from now on; null ends it. The same seed loses the same ones. */
export async function setAnswerFaults(
  platform: Platform,
  { storeId, faults }: { storeId: number; faults: AnswerFaults | null }
): Promise<void> {
  await shopOf(platform, storeId)
  const { lost = 0, unheard = 0 } = faults ?? {}
  for (const [name, share] of Object.entries({ lost, unheard })) {
    if (!(share >= 0 && share <= 1)) throw invalidField(name, 'must be a share from 0 to 1')
  }
  if (lost + unheard > 1) throw invalidField('lost', 'must not be more than 1 together with unheard')
  await platform.db.direct.run(sql`
    update sandbox.shops set answer_faults = ${faults && JSON.stringify(faults)}::jsonb, faulty_answers = 0
     where store_id = ${storeId}`)
  platform.shops.forget(storeId)
}
