import type { components } from '../api/schema.ts'

/** A key as the service describes it: what it accepts and what it does. */
export type DescribedKey = components['schemas']['LoyaltyRuleType']['rules'][number]

type Schema = {
  type?: string
  enum?: unknown[]
  const?: unknown
  anyOf?: Schema[]
  items?: Schema
  maxLength?: number
  properties?: Record<string, Schema & { description?: string }>
  required?: string[]
}

/** What is entered for a key. `word`: one of some; `json`: whatever else it is. */
export type EntryKind = 'word' | 'flag' | 'number' | 'text' | 'lines' | 'list' | 'json'

const LONG_TEXT = 300

export function kindOf({ schema: given }: DescribedKey): EntryKind {
  const schema = valueSchema(given as Schema)
  if (schema.enum?.every((one) => one === 0 || one === 1) || schema.type === 'boolean') return 'flag'
  if (schema.enum?.every((one) => one === 'on' || one === 'off')) return 'flag'
  if (schema.enum) return 'word'
  if (schema.type === 'integer' || schema.type === 'number') return 'number'
  if (schema.type === 'array') return 'list'
  if (schema.type === 'string') return (schema.maxLength ?? 0) > LONG_TEXT ? 'lines' : 'text'
  return 'json'
}

/** The words that a key accepts. */
export const wordsOf = ({ schema }: DescribedKey): string[] => (valueSchema(schema as Schema).enum ?? []).map(String)

/** Whether it may be null. */
const isNullable = ({ schema }: DescribedKey): boolean =>
  (schema as Schema).anyOf?.some((one) => one.type === 'null') ?? false

/** Whether it has to be given. */
export const isRequired = (key: DescribedKey): boolean => key.default === null

function valueSchema(schema: Schema): Schema {
  const others = schema.anyOf?.filter((one) => one.type !== 'null')
  return others?.length === 1 ? others[0]! : schema
}

/** Objects that a key accepts, by the word in one of their fields: each with its other keys. Null where it accepts none. */
export function variantsOf({ schema }: DescribedKey, by: string): Record<string, DescribedKey[]> | null {
  const objects = ((schema as Schema).anyOf ?? []).flatMap((one) => one.anyOf ?? [one]).filter((one) => one.properties)
  const named = objects.map((one) => [one.properties?.[by]?.const, one] as const)
  if (named.length === 0 || named.some(([word]) => typeof word !== 'string')) return null
  return Object.fromEntries(
    named.map(([word, one]) => [
      word,
      Object.entries(one.properties ?? {})
        .filter(([name]) => name !== by)
        .map(([name, { description = '', ...inner }]) => ({
          key: name,
          accepts: '',
          meaning: description,
          default: one.required?.includes(name) ? null : 'null',
          schema: inner
        }))
    ])
  )
}

/** What a form holds of a key: texts as they were typed, lists, and whether something is on. */
export type Entry = string | string[] | boolean

/** What is entered at first, of a value that is there or else of the default. */
export function entryOf(key: DescribedKey, value: unknown): Entry {
  const shown = value === undefined ? (key.default === null ? undefined : JSON.parse(key.default)) : value
  switch (kindOf(key)) {
    case 'flag':
      return shown === true || shown === 1 || shown === 'on'
    case 'list':
      return Array.isArray(shown) ? shown.map(String) : []
    case 'json':
      return shown === undefined || shown === null ? '' : JSON.stringify(shown, null, 2)
    default:
      return shown === undefined || shown === null ? '' : String(shown)
  }
}

/** The JSON of what is entered; undefined leaves it out. What is no number stays a text, which the service refuses at its field. */
function jsonOf(key: DescribedKey, entry: Entry): unknown {
  const kind = kindOf(key)
  if (kind === 'flag' || kind === 'list') return kind === 'list' ? listOf(key, entry as string[]) : entry
  const text = entry as string
  if (text.trim() === '') return emptyOf(key, kind)
  if (kind === 'number') return numberOr(text)
  if (kind !== 'json') return text
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

function emptyOf(key: DescribedKey, kind: EntryKind): unknown {
  if (isNullable(key)) return null
  return (kind === 'text' || kind === 'lines') && !isRequired(key) ? '' : undefined
}

const listOf = ({ schema }: DescribedKey, entries: string[]) =>
  (schema as Schema).items?.type === 'integer' ? entries.map(numberOr) : entries

/** A number where it is one; what else was typed is refused by the service at its field. */
export const numberOr = (text: string) => (Number.isFinite(Number(text)) ? Number(text) : text.trim())

/** The entries of an object by its keys: `{ customer_settings: { tags: [] } }`. */
export function entriesOf(keys: readonly DescribedKey[], value: object = {}): Record<string, unknown> {
  const entries: Record<string, unknown> = {}
  for (const key of keys) put(entries, key.key, entryOf(key, at(value, key.key)))
  return entries
}

/** The JSON of an object by its keys. */
export function objectOf(keys: readonly DescribedKey[], entries: object): Record<string, unknown> {
  const made: Record<string, unknown> = {}
  for (const key of keys) {
    const json = jsonOf(key, (at(entries, key.key) ?? '') as Entry)
    if (json !== undefined) put(made, key.key, json)
  }
  return made
}

const at = (value: unknown, path: string): unknown =>
  path.split('.').reduce<unknown>((inner, name) => (inner as Record<string, unknown> | undefined)?.[name], value)

function put(into: Record<string, unknown>, path: string, value: unknown): void {
  const names = path.split('.')
  const last = names.pop()!
  let inner = into
  for (const name of names) {
    inner[name] ??= {}
    inner = inner[name] as Record<string, unknown>
  }
  inner[last] = value
}
