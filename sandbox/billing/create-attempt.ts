import { randomBytes } from 'node:crypto'
import { type Attempt, findAttemptByKey, insertAttempt, lastPaidCycle } from '../state/attempts.ts'
import type { Contract } from '../state/contracts.ts'
import type { Api } from '../wire/api.ts'
import { cycleAt } from './cycles.ts'
import { resolveAttemptsNow } from './resolve-attempts.ts'

export type AttemptProblem =
  | 'CONTRACT_NOT_FOUND'
  | 'CONTRACT_PAUSED'
  | 'CONTRACT_TERMINATED'
  | 'CYCLE_INDEX_OUT_OF_RANGE'
export type CreatedAttempt = { attempt: Attempt; problem: null } | { attempt: null; problem: AttemptProblem }

/** Longer than a day, so that clients stop waiting before the result arrives. */
const LATE_HOURS = 26

/**
 * Stores an attempt, whose result follows later. With a key that the contract has used before, returns the existing attempt.
 * One statement if the cycle is given by its index. A cycle that is already paid fails with the result INVOICE_ALREADY_PAID.
 */
export async function createAttempt(
  api: Api,
  input: {
    contractId: string
    idempotencyKey: string
    cycle: { index: number } | { date: Temporal.Instant } | null
    originAt: Temporal.Instant | null
  }
): Promise<CreatedAttempt> {
  const { db, shop } = api
  const now = await api.now()
  const cycleIndex = await indexOf(api, input)
  if (cycleIndex === null) return { attempt: null, problem: 'CONTRACT_NOT_FOUND' }
  if (cycleIndex < 1) return { attempt: null, problem: 'CYCLE_INDEX_OUT_OF_RANGE' }

  const stored = await insertAttempt(
    db.direct,
    shop.storeId,
    { contractId: input.contractId, idempotencyKey: input.idempotencyKey, cycleIndex, originAt: input.originAt },
    {
      now,
      at: now.add({ seconds: shop.resolveDelaySeconds }),
      lateAt: now.add({ hours: LATE_HOURS }),
      challenge: randomBytes(18).toString('base64url')
    }
  )
  if (!stored) return { attempt: null, problem: 'CONTRACT_NOT_FOUND' }
  const attempt =
    stored.attempt ??
    // A concurrent request with the same key was first.
    (await findAttemptByKey(db.direct, shop.storeId, input.contractId, input.idempotencyKey))
  if (!attempt) {
    return { attempt: null, problem: stored.contractStatus === 'PAUSED' ? 'CONTRACT_PAUSED' : 'CONTRACT_TERMINATED' }
  }
  if (stored.created && attempt.outcome === 'lost') {
    await api.write((q, at) => resolveAttemptsNow(q, shop, [attempt.id], at))
    api.connection.lost = true
  }
  return { attempt, problem: null }
}

async function indexOf(
  api: Api,
  input: { contractId: string; cycle: { index: number } | { date: Temporal.Instant } | null }
): Promise<number | null> {
  if (input.cycle && 'index' in input.cycle) return input.cycle.index
  const contract = await api.load.contract.get(input.contractId)
  if (!contract) return null
  if (input.cycle) return cycleAt(contract, input.cycle.date, api.shop.timezone).index
  return firstUnpaid(api, contract)
}

async function firstUnpaid(api: Api, contract: Contract): Promise<number> {
  return (await lastPaidCycle(api.db.direct, api.shop.storeId, contract.id)) + 1
}
