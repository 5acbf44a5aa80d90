import type { Database } from '#kit/postgres'
import { type Connector, isAboutRequest, type PlatformFailure, type PlatformResult } from '#platform'
import type { Program, ProgramNews } from './program-queries.ts'

/** What a visit to the platform works with. */
export type Visit = {
  db: Database
  storeId: number
  connector: Connector
  program: Program
  currency: string
  now: Temporal.Instant
  /** Records what the work came to so far. Ends the visit where another process has the program. */
  record: (news: ProgramNews) => Promise<void>
}

/** The rest of the visit has to wait for this failure. */
export class Ended extends Error {
  readonly failure: PlatformFailure

  constructor(failure: PlatformFailure) {
    super(failure.message)
    this.failure = failure
  }
}

/**
 * The value of a result, or the refusal where the platform refuses what was asked; any other failure ends the visit. So does what the app may not do:
 * it is tried again until it may.
 */
export function valueOrRefusal<T>(result: PlatformResult<T>): { value: T } | { refusal: PlatformFailure } {
  if (result.ok) return { value: result.value }
  const isDenied = result.failure.code === 'access_denied'
  if (isAboutRequest(result.failure) && !isDenied) return { refusal: result.failure }
  throw new Ended(result.failure)
}

/** The value of a result; a failure ends the visit. */
export function take<T>(result: PlatformResult<T>): T {
  if (result.ok) return result.value
  throw new Ended(result.failure)
}
