import { storableError } from '#kit/storable-json'
import { retrySeconds } from '#kit/walks'
import type { PlatformFailure } from '#platform'
import type { AccountEnd, ClaimedAccount } from './account-queries.ts'

export const settled = (account: ClaimedAccount, version: number): AccountEnd => ({
  account,
  version,
  restMs: null,
  awaitsOrderUntil: null,
  attempts: 0,
  error: null,
  problem: null
})

/** Due again at once: something is to be read, or was not sent. */
export const dueAgain = (account: ClaimedAccount, version: number): AccountEnd => ({
  ...settled(account, version),
  restMs: 0,
  attempts: account.attempts
})

/** Until the open push has arrived, or cannot any more. */
export const restUntilSettled = (account: ClaimedAccount, version: number, maxCallMs: number): AccountEnd => ({
  ...settled(account, version),
  restMs: Math.ceil(Math.max(100, maxCallMs / 8)),
  attempts: account.attempts
})

export function endOfTry(account: ClaimedAccount, version: number, error: string): AccountEnd {
  return {
    ...settled(account, version),
    restMs: retrySeconds(account.attempts) * 1000,
    attempts: account.attempts + 1,
    error: storableError(error)
  }
}

/** An order may still be reported: until then, in store time. */
export const awaitOrder = (
  account: ClaimedAccount,
  version: number,
  until: Temporal.Instant,
  error: string
): AccountEnd => ({ ...settled(account, version), awaitsOrderUntil: until, error })

/** A refusal is not tried again by itself, everything else is. */
export function endOfFailure(account: ClaimedAccount, version: number, failure: PlatformFailure): AccountEnd {
  if (failure.kind !== 'rejected') return endOfTry(account, version, failure.message)
  const problem = storableError(`The platform refuses to change the account: ${failure.message}`)
  return { ...settled(account, version), problem }
}
