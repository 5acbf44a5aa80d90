import type { JsonField } from '#kit/json-fields'
import type { FieldProblem } from '#kit/refusal'
import { defineMetafield, type Metafield, readMetafield } from '#platform'

/** A setting of the storefront: a metafield of the shop, which is a JSON object with what an operator has entered. */
export type StorefrontSetting<T = unknown> = Metafield<T> & {
  /** The value of a store that has entered nothing. */
  initial: T
  /** What cannot be as it is entered, although each field is accepted; null where it can. */
  refuse(value: T, means: Means): FieldProblem | null
}

/** What this service can do for a store. */
export type Means = { canMail: boolean }

/** Declares a setting. Without `initial` each of its fields has a value of its own for where it is left out. */
export function defineStorefrontSetting<T>(declared: {
  key: string
  name: string
  help: string
  field: JsonField<T>
  initial?: NoInfer<T>
  refuse?: (value: T, means: Means) => FieldProblem | null
}): StorefrontSetting<T> {
  const { initial = ofDefaults(declared.field), refuse = () => null } = declared
  return { ...defineMetafield<T>({ ...declared, owner: 'shop', type: 'json' }), initial, refuse }
}

function ofDefaults<T>(field: JsonField<T>): T {
  const read = readMetafield({ field }, {})
  if (read.ok) return read.value
  throw new Error(`A storefront setting has a field without a default: ${read.problems[0]!.field}`)
}
