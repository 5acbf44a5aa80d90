import type { Metafield, MetafieldOwner } from '#platform'
import { METAFIELDS } from '../src/mirror/metafields/all-metafields.ts'
import { cell, code, table } from './markdown.ts'

type Schema = {
  type?: string
  enum?: unknown[]
  const?: unknown
  anyOf?: Schema[]
  items?: Schema
  properties?: Record<string, Schema & { description?: string }>
  required?: string[]
  format?: string
  minimum?: number
  maximum?: number
  maxLength?: number
  pattern?: string
}

/** The metafields of one kind of owner, with their fields, from their codecs. */
export function metafieldSections(owner: MetafieldOwner): string {
  return `${METAFIELDS.filter((one) => one.owner === owner)
    .map(section)
    .join('\n\n')}\n`
}

function section({ key, type, help, field }: Metafield<unknown>): string {
  const schema = field.schema as Schema
  const list = schema.type === 'array'
  const fields = list ? schema.items! : schema
  const kind = `Type ${code(type)}${list ? ', a list' : ''}. ${help}`
  if (!fields.properties) return `### ${key}\n\n${kind} The value is ${valueWords(schema)}.`
  return `### ${key}\n\n${kind}\n\n${table(['field', 'value', 'meaning'], rowsOf(fields, ''))}`
}

function rowsOf({ properties = {}, required = [] }: Schema, prefix: string): string[][] {
  return Object.entries(properties).flatMap(([name, field]) => {
    // A flag that has the word "on" alone is left out where it is off; every other field is always written, also one with a default.
    const mayBeAbsent = required.includes(name) || field.enum?.join() !== 'on' ? '' : ', or left out'
    const inner = field.type === 'array' ? field.items! : field
    const own = [code(prefix + name), cell(valueWords(field) + mayBeAbsent), cell(field.description ?? '')]
    const below = `${prefix}${name}${field.type === 'array' ? '[]' : ''}.`
    return [own, ...(inner.anyOf ?? [inner]).flatMap((one) => rowsOf(one, below))]
  })
}

/** What a value is, in words. */
function valueWords(schema: Schema): string {
  if ('const' in schema) return schema.const === '' ? '`""`' : code(JSON.stringify(schema.const))
  if (schema.enum) return schema.enum.map((one) => code(typeof one === 'string' ? one || '""' : String(one))).join(', ')
  if (schema.anyOf) return schema.anyOf.map(valueWords).join(' or ')
  if (schema.format === 'date') return 'date'
  if (schema.format === 'date-time') return 'time in UTC'
  if (schema.type === 'array')
    return schema.items!.properties || schema.items!.anyOf ? 'list' : `list of: ${valueWords(schema.items!)}`
  if (schema.type === 'object') return 'object'
  if (schema.type === 'boolean') return '`true`, `false`'
  if (schema.type === 'null') return '`null`'
  if (schema.type === 'integer') {
    const { minimum, maximum } = schema
    const isRange = minimum !== undefined && maximum !== undefined && maximum < 1e6
    return isRange ? `integer from ${minimum} to ${maximum}` : 'integer'
  }
  if (schema.type === 'number') return 'number'
  return schema.maxLength === undefined ? 'text' : `text of at most ${schema.maxLength.toLocaleString('en')} characters`
}
