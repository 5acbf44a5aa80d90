import { instantOf } from '../format/instant-of.ts'
import { localTime } from '../format/local-time.ts'

/** What a field of day and time shows for an instant; empty for none. */
export const timeOf = (at: string | null | undefined, zone: string) => (at ? localTime(at, zone) : '')

/** The instant that was entered. One that was left as it is stays to the second, which its field does not show. */
export function enteredInstant(entered: string, before: string | null | undefined, zone: string): string | null {
  if (entered === timeOf(before, zone)) return before ?? null
  return entered ? instantOf(entered, zone) : null
}
