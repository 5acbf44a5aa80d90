import type { PlatformFailure } from '#platform'
import type { AccountEnd, ClaimedAccount } from './account-queries.ts'

/** In real time, after each try in a row that came to nothing. */
const RETRY_AFTER_SECONDS = [5, 30, 120, 600, 3600] as const
const MAX_TEXT = 500

export const settled = (account: ClaimedAccount, version: number): AccountEnd => ({
  account,
  version,
  restMs: null,
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
  const seconds = RETRY_AFTER_SECONDS[Math.min(account.attempts, RETRY_AFTER_SECONDS.length - 1)]!
  return {
    ...settled(account, version),
    restMs: seconds * 1000,
    attempts: account.attempts + 1,
    error: storable(error)
  }
}

/** A refusal is not tried again by itself, everything else is. */
export function endOfFailure(account: ClaimedAccount, version: number, failure: PlatformFailure): AccountEnd {
  if (failure.kind !== 'rejected') return endOfTry(account, version, failure.message)
  const problem = storable(`The platform refuses to change the account: ${failure.message}`)
  return { ...settled(account, version), problem }
}

/** PostgreSQL does not accept NUL in text, and a message may quote what somebody typed. */
const storable = (text: string) => text.replaceAll('\0', '').slice(0, MAX_TEXT)
