/** The parts of a schema from which an example is made. */
type Shown = {
  examples?: unknown[]
  const?: unknown
  anyOf?: Shown[]
  type?: string | string[]
  items?: Shown
  properties?: Record<string, Shown>
}

/**
 * An example of a schema: the first of its `examples`, else a value made from its parts. Throws when a part has neither,
 * because then the schema is incomplete; `at` names the place in the message.
 */
export function exampleOf(schema: Shown, at = 'the schema'): unknown {
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
