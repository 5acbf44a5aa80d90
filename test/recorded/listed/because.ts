/** The same reason for several entries. */
export function because(reason: string, entries: string[]): Record<string, string> {
  return Object.fromEntries(entries.map((entry) => [entry, reason]))
}
