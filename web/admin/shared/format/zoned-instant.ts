import { localTime } from './local-time.ts'

/** The instant of a day and time of a field, such as `2026-01-31T10:00`, in the time zone of the shop; null for anything else. */
export function zonedInstant(local: string, zone: string): string | null {
  const wanted = Date.parse(`${local}Z`)
  if (Number.isNaN(wanted)) return null
  // The offset there is not known before the instant is: the second look is at about the right one.
  const guess = wanted - offsetAt(wanted, zone)
  return new Date(wanted - offsetAt(guess, zone)).toISOString()
}

/** How far the clocks of a zone are ahead of UTC, in milliseconds. */
function offsetAt(instant: number, zone: string): number {
  const minute = Math.floor(instant / 60_000) * 60_000
  return Date.parse(`${localTime(minute, zone)}Z`) - minute
}
