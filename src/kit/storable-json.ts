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
