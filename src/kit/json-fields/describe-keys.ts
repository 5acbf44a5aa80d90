import type { ObjectShape } from './composite.ts'

/** A key of an object in words. `default`: as JSON; null where it has to be given. `schema`: JSON Schema of what it is written as, for forms. */
export type DescribedKey = {
  key: string
  accepts: string
  meaning: string
  default: string | null
  schema: Record<string, unknown>
}

/** The keys of an object, for documents. Those inside an object are listed for themselves, as `customer_settings.tags`. */
export function describeKeys(shape: ObjectShape, prefix = ''): DescribedKey[] {
  return Object.entries(shape).flatMap(([name, field]) => {
    if ('shape' in field) return describeKeys(field.shape as ObjectShape, `${prefix}${name}.`)
    const usual = field.otherwise && JSON.stringify(field.write(field.otherwise.value))
    const { accepts, meaning, schema } = field
    return [{ key: prefix + name, accepts, meaning, default: usual ?? null, schema }]
  })
}
