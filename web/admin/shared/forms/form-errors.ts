import { ApiError, BrowserRefusal } from '../api/errors.ts'

export type FormErrors = { fields: Record<string, string>; general: string | null }

/**
 * Where a form shows what was refused: at the fields that it has, and the rest above them. `unreachable` is the sentence for a request
 * without an answer.
 */
export function formErrors(err: unknown, fieldNames: readonly string[], unreachable: string): FormErrors {
  if (err instanceof BrowserRefusal) return { fields: {}, general: err.message }
  if (!(err instanceof ApiError)) return { fields: {}, general: unreachable }
  const own = err.details.filter(({ field }) => fieldNames.includes(field))
  const fields = Object.fromEntries(own.map(({ field, message }) => [field, message]))
  return { fields, general: own.length === 0 ? err.message : null }
}
