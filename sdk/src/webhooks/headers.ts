/** The headers of a request, of fetch or of Node's http. */
export type HeadersLike = Headers | Record<string, string | readonly string[] | undefined>

/** The value of a header, case-insensitive; null when it is missing, empty or repeated. */
export function headerOf(headers: HeadersLike, name: string): string | null {
  if (typeof headers.get === 'function') return (headers as Headers).get(name) || null
  const values = Object.entries(headers as Record<string, string | readonly string[] | undefined>)
    .filter(([given]) => given.toLowerCase() === name)
    .flatMap(([, value]) => value ?? [])
  return values.length === 1 ? values[0] || null : null
}
