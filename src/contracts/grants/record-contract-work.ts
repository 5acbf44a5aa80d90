import { publicId } from '#kit/ids'
import { record } from '#kit/outbox'
import type { Ctx } from '#kit/postgres'
import { storableError } from '#kit/storable-json'
import { retrySeconds } from '#kit/walks'
import { notify } from '#stores'
import { enqueueContractSync } from '#subscriptions'
import { contractGrantEnded } from '../events/contract-grant-ended.ts'
import type { Grant } from './grant.ts'
import { assignWaiting, leaveContracts, type SeenGrant, writeSeen } from './grant-queries.ts'
import {
  type ClaimedContract,
  type ContractEnd,
  endContracts,
  LOOKED_AT_EVERY_HOURS,
  markContractsDue
} from './granted-contracts.ts'
import { type ContractOutcome, type GrantOutcome, isRefused } from './work-on-contract.ts'

export type Ended = { contract: ClaimedContract; outcome: ContractOutcome }

/** Records what looks at contracts came to. The rows of their customers and the contracts are locked. */
export async function recordContractWork(ctx: Ctx, ended: Ended[]): Promise<void> {
  const seen = ended.flatMap(({ contract, outcome }) => outcome.grants.map((one) => seenGrant(contract, one)))
  await writeSeen(ctx, seen)
  const over = ended.filter(({ outcome }) => outcome.isOver).map(({ contract }) => contract)
  await leaveContracts(
    ctx,
    over.map(({ subscriptionId }) => subscriptionId)
  )
  for (const { contract, outcome } of ended) await report(ctx, contract, outcome)
  await record(
    ctx,
    ...ended.flatMap(({ contract, outcome }) =>
      outcome.grants.filter(isNewlyOver).map(({ grant }) => endOfGrant(contract, grant))
    )
  )
  await endContracts(
    ctx,
    ended.map(({ contract, outcome }) => endOf(ctx, contract, outcome))
  )
  await markContractsDue(
    ctx,
    await assignWaiting(
      ctx,
      over.map(({ memberId }) => memberId)
    )
  )
  // What a cycle is charged now is read from the contract.
  const changed = ended.flatMap(({ contract, outcome }) => (outcome.isChanged ? contract.contractId : []))
  await enqueueContractSync(ctx, changed)
}

const isNewlyOver = ({ grant, step }: GrantOutcome) =>
  grant.status === 'active' && (step === 'off' || step === 'removed')

const endOfGrant = ({ memberId, subscriptionId }: ClaimedContract, { id }: Grant) =>
  contractGrantEnded({ grantId: id, memberId, subscriptionId })

function seenGrant(
  { subscriptionId }: ClaimedContract,
  { grant, step, used, platformId, problem }: GrantOutcome
): SeenGrant {
  const usedCycles = used === null ? null : grant.usedBefore + used
  const seen = { id: grant.id, subscriptionId, isOn: step === 'on', platformId, usedCycles, problem: null }
  switch (step) {
    case 'on':
      return { ...seen, status: 'active', endedBy: null }
    case 'off':
      // One that was live is used up; one that has ended stays as it has ended.
      return { ...seen, status: 'ended', endedBy: 'used' }
    case 'removed':
      return { ...seen, status: 'ended', endedBy: 'removed' }
    case 'refused':
      return { ...seen, status: 'ended', endedBy: 'refused', problem: storableError(problem!) }
  }
}

/** Whatever the platform says of each contract: many customers have the same reward. */
const BOUNDED = { atMostEveryHours: 24, atMost: 20 }

/** What people have to know: a grant that the platform does not give, or does not take back. */
async function report(ctx: Ctx, { subscriptionId }: ClaimedContract, outcome: ContractOutcome): Promise<void> {
  const contract = publicId('sub', subscriptionId)
  for (const { grant, step, problem } of outcome.grants) {
    if (step !== 'refused') continue
    await notify(ctx, {
      kind: 'contract_grant_refused',
      subject: 'A reward could not be given on a contract',
      message: `The platform refuses “${grant.label}” on contracts: ${storableError(problem!)}. perennial loyalty subscription-reward list shows whose it is.`,
      isOnce: true,
      ...BOUNDED
    })
  }
  const { failure } = outcome
  if (failure && isRefused(failure)) {
    await notify(ctx, {
      kind: 'contract_grants_not_changed',
      subject: 'Rewards on a contract could not be changed',
      message: `The platform does not change the rewards on ${contract}: ${storableError(failure.message)}`,
      isOnce: true,
      ...BOUNDED
    })
  }
}

function endOf({ now }: Ctx, contract: ClaimedContract, { failure, isLeft }: ContractOutcome): ContractEnd {
  const later = now.add({ hours: LOOKED_AT_EVERY_HOURS })
  const end: ContractEnd = { contract, dueAt: later, restMs: null, attempts: 0, error: null, isUncertain: false }
  if (isLeft) return { ...end, dueAt: now, attempts: contract.attempts }
  if (!failure) return end
  const error = storableError(failure.message)
  if (isRefused(failure)) return { ...end, error }
  const { attempts } = contract
  return {
    ...end,
    dueAt: now,
    restMs: retrySeconds(attempts) * 1000,
    attempts: attempts + 1,
    error,
    isUncertain: failure.outcomeUnknown === true
  }
}
