/** An instant as a field of day and time has it, in the time zone of the shop: `2026-01-31T10:00`. The API reads it in that zone, too. */
export function localTime(instant: string | number, zone: string): string {
  const parts = new Intl.DateTimeFormat('sv-SE', {
    timeZone: zone,
    dateStyle: 'short',
    timeStyle: 'short'
  }).format(new Date(instant))
  return parts.replace(' ', 'T')
}
