import { ApiError, BrowserRefusal } from '../api/errors.ts'
import type { Texts } from '../texts/en.ts'
import { ChangedMeanwhile } from './changed-meanwhile.ts'
import { fieldSentence } from './field-sentence.ts'

export type FormErrors = { fields: Record<string, string>; general: string | null }

/** The fields of a form by the names of the API, or which field of the form a name of the API is; null for none. */
export type FieldNames = readonly string[] | ((field: string) => string | null)

/**
 * Where a form shows what was refused: at the fields that it has, and the rest above them. What is wrong inside of a field, such as an entry of a list, is
 * shown at the field.
 */
export function formErrors(err: unknown, fieldNames: FieldNames, texts: Texts['errors']): FormErrors {
  if (err instanceof BrowserRefusal || err instanceof ChangedMeanwhile) return { fields: {}, general: err.message }
  if (!(err instanceof ApiError)) return { fields: {}, general: texts.unreachable }
  const nameOf = typeof fieldNames === 'function' ? fieldNames : (field: string) => ownField(field, fieldNames)
  const named = err.details.map((one) => ({ name: nameOf(one.field), message: fieldSentence(one, texts) }))
  const own = named.filter((one): one is { name: string; message: string } => one.name !== null)
  // The first is shown where several are about the entries of one field.
  const fields = Object.fromEntries(own.reverse().map(({ name, message }) => [name, message]))
  return {
    fields,
    general: own.length < Math.max(named.length, 1) ? (texts.signIn[err.reason ?? ''] ?? err.message) : null
  }
}

/** The field that a path is in: `product_ids` for `product_ids[3]`. */
export function ownField(path: string, names: readonly string[]): string | null {
  const found = names.filter((name) => path === name || path.startsWith(`${name}.`) || path.startsWith(`${name}[`))
  return found.toSorted((a, b) => b.length - a.length)[0] ?? null
}
