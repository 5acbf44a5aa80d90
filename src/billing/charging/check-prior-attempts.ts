import type { Connector, PlatformAttempt, PlatformResult } from '#platform'
import type { ClaimedAttempt, EarlierAttempt } from './claims.ts'

/** What the platform says of a cycle: not paid, paid by an attempt, or unknown. */
export type PriorPayment = { state: 'nothing' } | { state: 'paid'; by: PlatformAttempt } | { state: 'unknown' }

/**
 * Finds for each attempt whether an earlier one of its cycle was paid after all, or may still be: a reported failure is no proof.
 * One result per attempt, in order.
 */
export async function findPriorPayment(connector: Connector, attempts: ClaimedAttempt[]): Promise<PriorPayment[]> {
  const ids = [...new Set(attempts.flatMap(({ earlier }) => earlier.flatMap((e) => e.platformAttemptId ?? [])))]
  const byId = ids.length > 0 ? await connector.billing.findAttempts(ids) : null
  if (byId && !byId.ok) return attempts.map(() => ({ state: 'unknown' }))
  const read = async (
    attempt: ClaimedAttempt,
    earlier: EarlierAttempt
  ): Promise<PlatformResult<PlatformAttempt | null>> => {
    const known = earlier.platformAttemptId === null ? undefined : byId?.value.get(earlier.platformAttemptId)
    if (known) return { ok: true, value: known }
    return connector.billing.findAttemptByKey(attempt.platformContractId, earlier.idempotencyKey)
  }
  return Promise.all(
    attempts.map(async (attempt): Promise<PriorPayment> => {
      const reported = await Promise.all(attempt.earlier.map((earlier) => read(attempt, earlier)))
      const found = reported.flatMap((result) => (result.ok && result.value ? result.value : []))
      const by = found.find(({ state }) => state === 'success')
      if (by) return { state: 'paid', by }
      const isOver = reported.every((result) => result.ok) && found.every(({ state }) => state === 'failed')
      return { state: isOver ? 'nothing' : 'unknown' }
    })
  )
}

/** The payment of a cycle that the platform calls paid, by us or by somebody else. */
export async function findPayment(connector: Connector, attempt: ClaimedAttempt): Promise<PriorPayment> {
  const [before] = await findPriorPayment(connector, [attempt])
  if (before!.state !== 'nothing' || attempt.cycleAt === null) return before!
  const found = await connector.billing.findPaymentOfCycle(attempt.platformContractId, attempt.cycleAt)
  if (!found.ok) return { state: 'unknown' }
  return found.value && isOfThisCycle(attempt, found.value) ? { state: 'paid', by: found.value } : { state: 'nothing' }
}

/** The platform numbers cycles in its own way; our key says which cycle a payment of ours was for. */
function isOfThisCycle(
  { platformContractId, cycleIndex }: ClaimedAttempt,
  { idempotencyKey }: PlatformAttempt
): boolean {
  const ours = `svc-${platformContractId}-`
  return !idempotencyKey.startsWith(ours) || idempotencyKey.startsWith(`${ours}${cycleIndex}-`)
}
