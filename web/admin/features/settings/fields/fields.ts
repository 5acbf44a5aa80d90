import { integerOf } from '../../../shared/forms/integer-of.ts'

/**
 * A field of a form by its path in what the API has. `flag`: on or off, in whichever way it is written; `numbers`: whole numbers with commas
 * between; `isNullable`: empty means none.
 */
export type Field = { name: string } & (
  | { kind: 'flag' | 'text' | 'long' | 'numbers' }
  | { kind: 'number'; isNullable?: boolean }
  | { kind: 'choice'; options: readonly string[] }
  | { kind: 'plan'; type: 'vip' | 'elite' }
)

export type FieldTexts = Record<string, { label: string; help?: string; options?: Record<string, string> }>

/** What a form holds: texts as they are typed, and whether flags are on. */
export type Values = Record<string, string | boolean>

/** The form library takes a dot in a name for a path. */
export const keyOf = (name: string): string => name.replaceAll('.', '/')

/** What is in something at a path; undefined where it is left out. */
const valueAt = (of: unknown, name: string): unknown =>
  name.split('.').reduce<unknown>((inner, part) => (inner as Record<string, unknown> | undefined)?.[part], of)

const isOn = (value: unknown): boolean => value === true || value === 1 || value === 'on'

/** What a form begins with. */
export const valuesOf = (fields: readonly Field[], from: unknown): Values =>
  Object.fromEntries(fields.map((field) => [keyOf(field.name), typed(field, valueAt(from, field.name))]))

function typed({ kind }: Field, value: unknown): string | boolean {
  if (kind === 'flag') return isOn(value)
  if (kind === 'numbers') return (value as number[]).join(', ')
  return value === null || value === undefined ? '' : String(value)
}

/** The numbers of a list as somebody types it. */
export const numbersOf = (text: string): number[] =>
  text
    .split(/[,;\s]+/)
    .filter((part) => part !== '')
    .map(integerOf)

/** The change that a form asks for: only what is otherwise than `before`. `flagOf`: how the API has a flag. */
export function changeOf(
  fields: readonly Field[],
  { before, after, flagOf }: { before: Values; after: Values; flagOf: (isOn: boolean) => unknown }
): Record<string, unknown> {
  const change: Record<string, unknown> = {}
  for (const field of fields) {
    const value = after[keyOf(field.name)]
    if (value === before[keyOf(field.name)]) continue
    const path = field.name.split('.')
    const last = path.pop()!
    const inner = path.reduce<Record<string, unknown>>((of, part) => {
      of[part] ??= {}
      return of[part] as Record<string, unknown>
    }, change)
    inner[last] = sent(field, value!, flagOf)
  }
  return change
}

function sent(field: Field, value: string | boolean, flagOf: (isOn: boolean) => unknown): unknown {
  if (typeof value === 'boolean') return flagOf(value)
  if (field.kind === 'numbers') return numbersOf(value)
  if (field.kind === 'plan') return value === '' ? null : value
  if (field.kind !== 'number') return value
  return field.isNullable && value.trim() === '' ? null : integerOf(value)
}
