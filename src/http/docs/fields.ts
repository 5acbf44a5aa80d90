import type { JsonSchema } from '../shared/json-schema.ts'
import { anchor, code, line, text } from './markup.ts'

/** One row per field of an object; the fields of an inner object follow under its name. */
export function fieldRows(schema: JsonSchema, prefix = ''): string[][] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, field]) => [
    [code(prefix + name), typeOf(field), line(field.description ?? '')],
    ...fieldRows(field.items ?? field, `${prefix}${name}${field.items ? '[].' : '.'}`)
  ])
}

/** The type of a field, with a link to the object that it names. */
export function typeOf(schema: JsonSchema): string {
  const { $ref, type, enum: values, anyOf, items, format } = schema
  if ($ref) return objectLink(nameOf($ref))
  if (anyOf) return words(anyOf.map(typeOf))
  if (values) return words(values.map((value) => (value === null ? 'null' : code(JSON.stringify(value)))))
  if (items) return `list of ${typeOf(items)}`
  if (schema.const !== undefined) return code(JSON.stringify(schema.const))
  if (!type) return 'any value'
  return words([type].flat().map((one) => (one === 'string' && format ? text(format) : text(one))))
}

export const nameOf = ($ref: string) => $ref.slice($ref.lastIndexOf('/') + 1)
export const objectAnchor = (name: string) => `object-${anchor(name)}`
const objectLink = (name: string) => `<a href="#${objectAnchor(name)}">${text(name)}</a>`

const words = (parts: string[]) => parts.join(', ').replace(/, (?!.*, )/, ' or ')
