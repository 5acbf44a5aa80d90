import type { JsonSchema } from '../shared/json-schema.ts'

/**
 * A value that shows what a schema means: the first of its `examples`, else what follows from its parts. A part that
 * nothing can be shown of is a gap in the route's schema.
 */
export function exampleOf(schema: JsonSchema, at = 'the schema'): unknown {
  const { examples, anyOf, const: constant, type, properties = {}, items } = schema
  if (examples) return examples[0]
  if (constant !== undefined) return constant
  if (anyOf) return exampleOf(anyOf[0]!, at)
  if (type === 'null') return null
  if (type === 'array' && items) return [exampleOf(items, at)]
  if (type === 'object') {
    return Object.fromEntries(
      Object.entries(properties).map(([name, field]) => [name, exampleOf(field, `${at}.${name}`)])
    )
  }
  throw new Error(`There is no example of ${at}`)
}
