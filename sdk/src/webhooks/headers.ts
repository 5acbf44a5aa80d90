/** The headers of a request, as fetch or as Node's http has them. */
export type HeadersLike = Headers | Record<string, string | readonly string[] | undefined>

/** The value of a header whatever the case of its name; null when it is missing, empty, or there more than once. */
export function headerOf(headers: HeadersLike, name: string): string | null {
  if (typeof headers.get === 'function') return (headers as Headers).get(name) || null
  const values = Object.entries(headers as Record<string, string | readonly string[] | undefined>)
    .filter(([given]) => given.toLowerCase() === name)
    .flatMap(([, value]) => value ?? [])
  return values.length === 1 ? values[0] || null : null
}
