import type { JsonField } from '#kit/json-fields'
import { textOf } from '#kit/json-fields'

/** What a theme fills in where a text of a widget names it in braces. */
const PLACEHOLDERS = ['plan_name', 'price', 'savings', 'credit'] as const

const accepted = PLACEHOLDERS.map((name) => `{${name}}`).join(', ')

/** A text that may hold placeholders. One that does not exist would be shown as it is, so it is refused. */
export function placeholderText(max: number): JsonField<string> {
  const plain = textOf(max)
  return {
    ...plain,
    accepts: `${plain.accepts}; placeholders are ${accepted}`,
    read(given, found) {
      const text = plain.read(given, found)
      const unknown = [...String(text ?? '').matchAll(/\{([^{}]*)\}/g)].find(
        ([, name]) => !PLACEHOLDERS.some((one) => one === name)
      )
      if (unknown) {
        const message = `has ${unknown[0].slice(0, 50)}, which is no placeholder; they are ${accepted}`
        found.problems.push({ field: found.path, code: 'invalid', message })
      }
      return text
    }
  }
}
