import { Refusal, type RefusalCode } from '#kit/refusal'
import { TooManyGuesses } from '../rate-limits/guess-limiter.ts'
import { RateLimited } from '../rate-limits/rate-limited.ts'
import { errorBody } from '../shared/error-body.ts'

/** What the library for signing in refuses; `reason` is its own code, in small letters. */
export class SignInRefused extends Refusal {
  readonly reason: string | null

  constructor(code: RefusalCode, message: string, reason: string | null) {
    super(code, message)
    this.reason = reason
  }
}

/** Too many tries; `reason` says of what. */
export class TriedTooOften extends RateLimited {
  readonly reason: string | null

  constructor(message: string, reason: string | null) {
    super({ message })
    this.reason = reason
  }
}

/** An error of signing in: with `reason`, by which the interface says it in its language, where the library or a limit has refused. */
export function signInErrorBody(refusal: Refusal | RateLimited | null) {
  const { error } = errorBody(refusal)
  const reason = reasonOf(refusal)
  return { error: { ...error, ...(reason !== null && { reason }) } }
}

function reasonOf(refusal: Refusal | RateLimited | null): string | null {
  if (refusal instanceof TooManyGuesses) return 'too_many_guesses'
  return refusal instanceof SignInRefused || refusal instanceof TriedTooOften ? refusal.reason : null
}
