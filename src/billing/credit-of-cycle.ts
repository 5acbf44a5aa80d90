import type { CycleCredit, Subscription } from '#subscriptions'
import type { Attempt } from './attempt.ts'
import type { Settlement } from './settlement.ts'

/** The store credit that a settled attempt issues, by what its end has written; none where that says none. */
export function creditOfCycle(
  { id }: Attempt,
  subscription: Subscription,
  { orderId }: Pick<Settlement, 'orderId'>,
  written: { creditMinor: number | null } | undefined
): CycleCredit[] {
  const amountMinor = written?.creditMinor ?? null
  return amountMinor === null ? [] : [{ subscription, amountMinor, orderId, operationId: `charge:ba_${id}` }]
}
