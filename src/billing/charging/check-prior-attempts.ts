import type { Connector, PlatformAttempt, PlatformFailure } from '#platform'
import type { ClaimedAttempt } from './claims.ts'

/**
 * What the platform says of a cycle: not paid, paid by an attempt, or unknown. `also`: further payments of the cycle. `failure`:
 * why it is unknown, if the platform did not say.
 */
export type PriorPayment =
  | { state: 'nothing' }
  | { state: 'paid'; by: PlatformAttempt; also: PlatformAttempt[] }
  | { state: 'unknown'; failure: PlatformFailure | null }

/**
 * Finds whether an earlier attempt of the cycle was paid after all, or may still be: a reported failure is no proof. They are
 * looked for by their keys as well where their ids are known: a key that was sent twice can have two attempts.
 */
export async function findPriorPayment(connector: Connector, attempt: ClaimedAttempt): Promise<PriorPayment> {
  const keys = attempt.earlier.flatMap(({ idempotencyKey }) => (idempotencyKey === '' ? [] : idempotencyKey))
  const ids = attempt.earlier.flatMap(({ platformAttemptId }) => platformAttemptId ?? [])
  if (keys.length === 0 && ids.length === 0) return { state: 'nothing' }
  const found = await connector.billing.findAttemptsByKeys(attempt.platformContractId, keys, ids)
  if (!found.ok) return (await findPaid(connector, ids)) ?? { state: 'unknown', failure: found.failure }
  const [by, ...also] = found.value.filter(({ state }) => state === 'success')
  if (by) return { state: 'paid', by, also }
  const isOver = found.value.every(({ state }) => state === 'failed')
  return isOver ? { state: 'nothing' } : { state: 'unknown', failure: null }
}

/** A payment among the attempts that can be read is one, whatever may not be read of the others. */
async function findPaid(connector: Connector, ids: string[]): Promise<PriorPayment | null> {
  const found = ids.length > 0 ? await connector.billing.findAttempts(ids) : null
  const [by, ...also] = found?.ok ? [...found.value.values()].filter(({ state }) => state === 'success') : []
  return by ? { state: 'paid', by, also } : null
}

/** The payment of a cycle that the platform calls paid, by us or by somebody else. */
export async function findPayment(connector: Connector, attempt: ClaimedAttempt): Promise<PriorPayment> {
  const before = await findPriorPayment(connector, attempt)
  if (before.state !== 'nothing' || attempt.cycleAt === null) return before
  const found = await connector.billing.findPaymentOfCycle(attempt.platformContractId, attempt.cycleAt)
  if (!found.ok) return { state: 'unknown', failure: found.failure }
  const isPaid = found.value && isOfThisCycle(attempt, found.value)
  return isPaid ? { state: 'paid', by: found.value!, also: [] } : { state: 'nothing' }
}

/** The platform numbers cycles in its own way; our key says which cycle a payment of ours was for. */
function isOfThisCycle(
  { platformContractId, cycleIndex }: ClaimedAttempt,
  { idempotencyKey }: PlatformAttempt
): boolean {
  const ours = `svc-${platformContractId}-`
  return !idempotencyKey.startsWith(ours) || idempotencyKey.startsWith(`${ours}${cycleIndex}-`)
}
