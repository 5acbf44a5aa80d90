import type { FieldProblem } from '../refusal.ts'
import type { JsonField } from './field.ts'

/** Reads what was entered for a field; what is wrong is added to `problems`, with paths that begin with its name. */
export const readEntered = <T>(field: JsonField<T>, given: unknown, name: string, problems: FieldProblem[]): T =>
  field.read(given, { path: name, problems })

/** Reads what is stored, which was checked when it was entered. */
export function readStored<T>(field: JsonField<T>, stored: unknown, what: string): T {
  const problems: FieldProblem[] = []
  const value = field.read(stored, { path: what, problems })
  if (problems.length > 0)
    throw new Error(`What is stored cannot be read: ${problems[0]!.field} ${problems[0]!.message}`)
  return value
}
