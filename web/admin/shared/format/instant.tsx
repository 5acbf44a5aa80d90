import { useFormats } from './formats.ts'

/** An instant in the zone of the shop, with UTC where the pointer rests. */
export function Instant({ at, zone, dayOnly }: { at: string | null; zone: string; dayOnly?: boolean }) {
  const formats = useFormats()
  if (at === null) return '–'
  const text = dayOnly ? formats.day(at, zone) : formats.time(at, zone)
  return (
    <time dateTime={at} title={`${at.slice(0, 19).replace('T', ' ')} UTC`}>
      {text}
    </time>
  )
}
