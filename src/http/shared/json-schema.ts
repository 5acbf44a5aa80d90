import { isDeepStrictEqual } from 'node:util'

/** The part of JSON Schema that we use, in TypeBox's schemas and in the published ones. */
export type JsonSchema = {
  $ref?: string
  type?: string | string[]
  title?: string
  description?: string
  /** Of a field of a request: what it does. Its `description` says what it accepts. */
  meaning?: string
  /** Of a text: it has one of these formats. Published as `anyOf`, since `format` names one. */
  formats?: string[]
  /** Of a number: it is money. */
  amount?: boolean
  const?: unknown
  enum?: unknown[]
  default?: unknown
  examples?: unknown[]
  format?: string
  pattern?: string
  minimum?: number
  maximum?: number
  exclusiveMinimum?: number
  minLength?: number
  maxLength?: number
  anyOf?: JsonSchema[]
  items?: JsonSchema
  properties?: Record<string, JsonSchema>
  not?: JsonSchema
  required?: string[]
  minProperties?: number
  additionalProperties?: boolean | JsonSchema
}

/**
 * Makes the published schemas of a document. A schema with a `title` becomes a component of that name. Objects of requests
 * are closed: an unknown field is an error. Objects of responses are open, because fields may be added.
 */
export function createPublisher() {
  const components: Record<string, JsonSchema> = {}

  const publishAs = (side: 'request' | 'response') => {
    function publish({ title, ...schema }: JsonSchema): JsonSchema {
      const published = shape(schema)
      if (title === undefined) return published
      const known = (components[title] ??= published)
      if (!isDeepStrictEqual(known, published)) throw new Error(`Two schemas have the title ${title}`)
      return { $ref: `#/components/schemas/${title}` }
    }

    function shape({
      anyOf,
      meaning,
      formats,
      amount: _,
      properties,
      items,
      additionalProperties,
      ...schema
    }: JsonSchema): JsonSchema {
      if (side === 'request' && schema.description) schema.description = whatItMustBe(schema.description, meaning)
      if (anyOf) return oneOfThose(schema, anyOf)
      if (formats) {
        const { type, ...about } = schema
        return { ...about, anyOf: formats.map((format) => ({ type, format })) }
      }
      if (items) return { ...schema, items: publish(items) }
      if (!properties) return schema
      const fields = Object.entries(properties).map(([name, field]) => [name, publish(field)] as const)
      const extra = side === 'request' ? false : additionalProperties || undefined
      return {
        ...schema,
        properties: Object.fromEntries(fields),
        ...(extra !== undefined && {
          additionalProperties: typeof extra === 'object' ? publish(extra) : extra
        })
      }
    }

    /** Literals are an enum; a schema or null is that schema with one more type. */
    function oneOfThose(schema: JsonSchema, options: JsonSchema[]): JsonSchema {
      if (options.every((option) => option.const !== undefined)) {
        return { ...schema, type: 'string', enum: options.map((option) => option.const) }
      }
      const [only, ...others] = options.filter(({ type }) => type !== 'null').map(publish)
      if (!only || others.length > 0) return { ...schema, anyOf: options.map(publish) }
      if (only.anyOf) return { ...only, ...schema, anyOf: [...only.anyOf, { type: 'null' }] }
      const values = only.enum && { enum: [...only.enum, null] }
      return typeof only.type === 'string'
        ? { ...only, ...values, ...schema, type: [only.type, 'null'] }
        : { ...schema, anyOf: [only, { type: 'null' }] }
    }
    return publish
  }

  return { forRequest: publishAs('request'), forResponse: publishAs('response'), components }
}

function whatItMustBe(accepts: string, meaning?: string): string {
  return meaning ? `${meaning}. Must be ${accepts}.` : `Must be ${accepts}.`
}
