/** An integer beyond 2^53 as it stood in the text. */
export class BigInteger {
  readonly digits: string

  constructor(digits: string) {
    this.digits = digits
  }
}

export const isBigInteger = (value: unknown): value is BigInteger => value instanceof BigInteger

/** Parses JSON and keeps large integers exact. Undefined for a text that is no JSON, or JSON that is nested thousands of levels deep. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text, (_key, value, context?: { source?: string }) =>
      typeof value === 'number' && !Number.isSafeInteger(value) && /^\d+$/.test(context?.source ?? '')
        ? new BigInteger(context!.source!)
        : value
    )
  } catch (err) {
    if (err instanceof SyntaxError || err instanceof RangeError) return undefined
    throw err
  }
}

/**
 * JSON in one form, with sorted names and no spaces, by which two texts are compared. A text that is no JSON, or is nested too deep to be
 * read, stays as it is.
 */
export function canonicalJson(text: string): string {
  const value = parseJson(text)
  try {
    return value === undefined ? text : JSON.stringify(sorted(value))
  } catch (err) {
    if (err instanceof RangeError) return text
    throw err
  }
}

function sorted(value: unknown): unknown {
  if (isBigInteger(value)) return JSON.rawJSON(value.digits)
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, inner]) => [name, sorted(inner)])
  )
}
