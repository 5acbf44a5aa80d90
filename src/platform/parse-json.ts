/** What PostgreSQL takes in no text, or in no jsonb: NUL, and halves of surrogate pairs. JSON may have either as an escape only. */
const UNSTORABLE = /\\u(?:0000|d[89a-f][0-9a-f]{2})/i

/**
 * What the platform says, without the characters that could not be kept: people type them into its forms, and one of them must
 * not hold up all that was said together with it.
 */
export function parseJson(text: string): unknown {
  if (!UNSTORABLE.test(text)) return JSON.parse(text)
  return JSON.parse(text, (_key, value) =>
    typeof value === 'string' ? value.replaceAll('\0', '').toWellFormed() : value
  )
}
