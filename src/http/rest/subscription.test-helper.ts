import { upsertFromContracts } from '#contracts'
import { int, row, sql } from '#kit/postgres'
import type { PlatformContract } from '#platform'
import { findSubscriptionByContract } from '#subscriptions'
import { aContract, anOrder } from '../../../test/contract-builder.ts'
import type { BuiltStore } from '../../../test/store-builder.ts'

/** When the stores of these tests live: the end of a month, in winter. */
export const START = '2026-01-31T15:00:00Z'
export const at = (text: string) => Temporal.Instant.from(text)

/** Someone joins at `when`: our ids of what came of it. */
export async function joined(store: BuiltStore, when = START, over: Partial<PlatformContract> = {}) {
  const contract = aContract(at(when), over)
  return store.inStore(async (ctx) => {
    await upsertFromContracts(ctx, [contract], [anOrder(at(when), { id: contract.originOrder!.id })])
    const found = await findSubscriptionByContract(ctx, contract.id)
    return { contract, memberId: found!.memberId, subscriptionId: found!.id }
  })
}

/** Attempts as billing leaves them, one per cycle from the second on. */
export async function attemptsOf(store: BuiltStore, subscriptionId: number) {
  return store.inStore(({ tx }) =>
    tx.many(
      row({ id: int }),
      sql`insert into billing_attempts (store_id, subscription_id, cycle_index, attempt_number, status, idempotency_key,
              amount_minor, currency, scheduled_at, check_at, error_code, error_message, decline_code, retry_at,
              attempts_remaining, payment_method, created_at, completed_at)
          values (${store.storeId}, ${subscriptionId}, 2, 1, 'failed', ${`a-${subscriptionId}`}, 2995, 'USD', '2026-02-28T15:00:00Z', null,
              'PAYMENT_METHOD_DECLINED', 'Declined', 'card_declined', '2026-03-02T15:00:00Z', 3,
              '{"type":"card","lastFour":"4242","brand":"visa"}', '2026-02-28T15:00:00Z', '2026-02-28T15:00:01Z'),
            (${store.storeId}, ${subscriptionId}, 3, 1, 'pending', ${`b-${subscriptionId}`}, 2995, 'USD', '2026-03-31T14:00:00Z',
              '2026-03-31T14:00:00Z', null, null, null, null, 4, null, '2026-03-31T14:00:00Z', null)
          returning id`
    )
  )
}

export const idsOf = (response: { json(): { data: { id: string }[] } }) => response.json().data.map(({ id }) => id)
export const nothing = { data: [], meta: { total: 0, limit: 50, offset: 0, has_more: false } }
