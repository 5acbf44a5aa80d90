import type { JsonField } from '#kit/json-fields'
import { textOf } from '#kit/json-fields'
import type { FieldProblem } from '#kit/refusal'

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

/**
 * A text with a brace of which the other is missing, as in `{plan_name`; null where there is none. It is asked when somebody enters a
 * setting, not when one is read: such texts were accepted before.
 */
export function openPlaceholder(value: Record<string, unknown>): FieldProblem | null {
  const found = Object.entries(value).find(
    ([, text]) => typeof text === 'string' && /[{}]/.test(text.replaceAll(/\{[^{}]*\}/g, ''))
  )
  if (!found) return null
  const message = `has a { without its }, or the other way round; placeholders are ${accepted}`
  return { field: found[0], code: 'invalid', message }
}
