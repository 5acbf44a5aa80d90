/** Characters that PostgreSQL cannot store in text or jsonb: NUL and unpaired surrogates. In JSON both are always escapes. */
const UNSTORABLE = /\\u(?:0000|d[89a-f][0-9a-f]{2})/i

/**
 * Parses JSON from another system and removes the characters that PostgreSQL cannot store. People type them into forms, and one
 * of them must not block everything else in the same text.
 */
export function parseStorableJson(text: string): unknown {
  if (!UNSTORABLE.test(text)) return JSON.parse(text)
  return JSON.parse(text, (_key, value) =>
    typeof value === 'string' ? value.replaceAll('\0', '').toWellFormed() : value
  )
}

/** A number of so many digits may not be exact in JavaScript. */
const LONG_NUMBER = /[:[,]\s*-?\d{16,}\s*[,\]}]/

/**
 * The same for messages whose ids are plain numbers: a whole number that JavaScript would round becomes the text of its digits.
 */
export function parseExactJson(text: string): unknown {
  if (!LONG_NUMBER.test(text)) return parseStorableJson(text)
  const isStorable = !UNSTORABLE.test(text)
  return JSON.parse(text, (_key, value, context?: { source?: string }) => {
    if (typeof value === 'string') return isStorable ? value : value.replaceAll('\0', '').toWellFormed()
    const isRounded = typeof value === 'number' && !Number.isSafeInteger(value) && /^-?\d+$/.test(context?.source ?? '')
    return isRounded ? context!.source : value
  })
}

const MAX_ERROR_LENGTH = 500

/** An error as it is kept beside what failed: PostgreSQL does not accept NUL in text, and an error may quote what somebody typed. */
export const storableError = (error: string): string => error.replaceAll('\0', '').slice(0, MAX_ERROR_LENGTH)
