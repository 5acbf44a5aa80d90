import { localTime } from './local-time.ts'

/** The instant of a local time of a zone, as a field of day and time has it; where clocks go back, the first of the two. */
export function instantOf(local: string, zone: string): string {
  const asUtc = Date.parse(`${local}Z`)
  if (Number.isNaN(asUtc)) return local
  // What the zone was ahead at about that time, and then at that time itself.
  const ahead = (at: number) => Date.parse(`${localTime(at, zone)}Z`) - at
  const near = asUtc - ahead(asUtc)
  return new Date(asUtc - ahead(near)).toISOString()
}
