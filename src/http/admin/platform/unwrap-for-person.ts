import { Refusal } from '#kit/refusal'
import type { PlatformResult } from '#platform'

/** The value of what a person has asked the platform for; a failure is what the person is told. */
export function unwrapForPerson<T>(result: PlatformResult<T>): T {
  if (result.ok) return result.value
  throw new Refusal('unavailable', `The platform did not do it. ${result.failure.message}`)
}
