import { type AddressRules, resolvedProblem, rulesFor, urlProblem } from '#kit/addresses'
import type { Database } from '#kit/postgres'
import { isEventType } from '../public-events.ts'
import { noEventTypes, unknownEventTypes, unusableDescription, unusableReason, unusableUrl } from '../refusals.ts'
import { readStoreKind } from './endpoint-queries.ts'

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused
const CONTROL = /[\u0000-\u001f\u007f-\u009f]/

/**
 * The receiver's URL as it is stored. It is checked as text, then by every address that its name resolves to now. Because it
 * asks the DNS, it runs outside a transaction.
 */
export async function checkUrl(db: Database, storeId: number, url: string, addresses: AddressRules): Promise<string> {
  const rules = rulesFor(await db.inStore(storeId, readStoreKind), addresses)
  const problem = urlProblem(url, rules) ?? (await resolvedProblem(url, rules))
  if (problem) throw unusableUrl(problem)
  return new URL(url).href
}

/** Null means every type. */
export function checkEvents(events: string[] | null): string[] | null {
  if (events === null) return null
  if (events.length === 0) throw noEventTypes()
  const unknown = events.filter((event) => !isEventType(event))
  if (unknown.length > 0) throw unknownEventTypes('events', unknown)
  return [...new Set(events)]
}

export function checkDescription(description: string): string {
  if (description.length > 500 || CONTROL.test(description)) throw unusableDescription()
  return description
}

/** The reason for which an operator disables an endpoint: one line. */
export function checkReason(reason: string): string {
  if (reason.trim() === '' || reason.length > 200 || CONTROL.test(reason)) throw unusableReason()
  return reason.trim()
}
