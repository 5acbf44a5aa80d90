import { randomBytes } from 'node:crypto'
import { type Attempt, findAttemptByKey, forgetKeys, insertAttempt, lastPaidCycle } from '../state/attempts.ts'
import type { Contract } from '../state/contracts.ts'
import type { Api } from '../wire/api.ts'
import { outcomeOfSuccess } from './charge-faults.ts'
import { type Cycle, cycleAt, cycleOf } from './cycles.ts'
import { firstUnskipped } from './edited-cycles.ts'
import { resolveAttemptsNow } from './resolve-attempts.ts'

export type AttemptProblem =
  | 'CONTRACT_NOT_FOUND'
  | 'CONTRACT_PAUSED'
  | 'CONTRACT_TERMINATED'
  | 'CYCLE_INDEX_OUT_OF_RANGE'
  | 'BILLING_CYCLE_SKIPPED'
export type CreatedAttempt = { attempt: Attempt; problem: null } | { attempt: null; problem: AttemptProblem }

const REFUSED: Record<string, AttemptProblem> = { PAUSED: 'CONTRACT_PAUSED', SKIPPED: 'BILLING_CYCLE_SKIPPED' }

/** Longer than a day, so that clients stop waiting before the result arrives. */
const LATE_HOURS = 26
/** When an attempt without a result is due: a century from now. */
const NEVER_HOURS = 24 * 36_525

/**
 * Stores an attempt, whose result follows later. With a key that the contract has used before, returns the existing attempt,
 * unless the shop is scripted to forget keys. A cycle that is already paid fails with the result INVOICE_ALREADY_PAID, unless the
 * shop is scripted to pay it again.
 */
export async function createAttempt(
  api: Api,
  input: {
    contractId: string
    idempotencyKey: string
    cycle: Selected
    originAt: Temporal.Instant | null
  }
): Promise<CreatedAttempt> {
  const { db, shop } = api
  const now = await api.now()
  const { contractId, idempotencyKey, originAt } = input
  const contract = await api.load.contract.get(contractId)
  if (!contract) return { attempt: null, problem: 'CONTRACT_NOT_FOUND' }
  const cycle = await cycleFor(api, contract, input.cycle)
  if (cycle.index < 1) return { attempt: null, problem: 'CYCLE_INDEX_OUT_OF_RANGE' }

  const { keyMinutes } = shop.chargeFaults ?? {}
  if (keyMinutes !== undefined) {
    await forgetKeys(db.direct, shop.storeId, contractId, now.subtract({ minutes: keyMinutes }))
  }
  const stored = await insertAttempt(
    db.direct,
    shop.storeId,
    { contractId, idempotencyKey, cycleIndex: cycle.index, periodAt: cycle.endAt, originAt },
    {
      now,
      at: now.add({ seconds: shop.resolveDelaySeconds }),
      lateAt: now.add({ hours: LATE_HOURS }),
      neverAt: now.add({ hours: NEVER_HOURS }),
      challenge: randomBytes(18).toString('base64url'),
      onSuccess: outcomeOfSuccess(shop.chargeFaults, contractId, idempotencyKey)
    }
  )
  if (!stored) return { attempt: null, problem: 'CONTRACT_NOT_FOUND' }
  const attempt =
    stored.attempt ??
    // A concurrent request with the same key was first.
    (await findAttemptByKey(db.direct, shop.storeId, contractId, idempotencyKey))
  if (!attempt) {
    return { attempt: null, problem: REFUSED[stored.contractStatus] ?? 'CONTRACT_TERMINATED' }
  }
  if (stored.created && attempt.outcome === 'lost') {
    await api.write((q, at) => resolveAttemptsNow(q, shop, [attempt.id], at))
    api.connection.lost = true
  }
  return { attempt, problem: null }
}

type Selected = { index: number } | { date: Temporal.Instant } | null

/** The selected cycle; without a selection the first unpaid one that is not skipped. */
async function cycleFor(api: Api, contract: Contract, selected: Selected): Promise<Cycle> {
  const { timezone } = api.shop
  if (selected && 'date' in selected) return cycleAt(contract, selected.date, timezone)
  const index = selected ? selected.index : await firstUnpaid(api, contract)
  return cycleOf(contract, index, timezone)
}

async function firstUnpaid(api: Api, contract: Contract): Promise<number> {
  const last = await lastPaidCycle(api.db.direct, api.shop.storeId, contract.id)
  return firstUnskipped(api.db.direct, api.shop.storeId, contract, last + 1)
}
