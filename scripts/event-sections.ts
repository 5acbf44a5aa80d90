import { createPublisher, type JsonSchema } from '../src/http/shared/json-schema.ts'
import { exampleOf } from '../src/resources/index.ts'
import { EVENT_TYPES, EVENTS, type EventType } from '../src/webhooks/index.ts'
import { cell, code, json, table, words } from './markdown.ts'

/** The payloads of docs/events.md, one section for each event type, made from the schemas in `resources`. */
export const eventSections = (): string => `\n${EVENT_TYPES.map(section).join('\n\n')}\n\n`

function section(type: EventType): string {
  const { summary, data } = EVENTS[type]
  const { forResponse, components } = createPublisher()
  const schema = forResponse(data as JsonSchema)
  return [
    `### ${type}`,
    `${summary}. [JSON Schema](schemas/${type}.schema.json)`,
    table(['field of `data`', 'type', 'description'], rowsOf(schema, components)),
    json(exampleOf(data), 2)
  ].join('\n\n')
}

/** A row for each field; those of an object follow it, named by their path. */
function rowsOf({ properties = {} }: JsonSchema, components: Record<string, JsonSchema>, path = ''): string[][] {
  return Object.entries(properties).flatMap(([name, field]) => {
    const inner = objectIn(field, components)
    const isChange = inner?.properties && Object.keys(inner.properties).join() === 'from,to'
    const described = field.description ?? inner?.description ?? ''
    const rows = inner && !isChange ? rowsOf(inner, components, `${path}${name}.`) : []
    return [[code(`${path}${name}`), isChange ? '`from` and `to`' : typeOf(field), cell(described)], ...rows]
  })
}

/** The object that a field is, or is unless it is null. */
function objectIn(field: JsonSchema, components: Record<string, JsonSchema>): JsonSchema | null {
  if (field.anyOf) return objectIn(field.anyOf.find(({ type }) => type !== 'null')!, components)
  if (field.$ref) return components[field.$ref.slice(field.$ref.lastIndexOf('/') + 1)]!
  return field.properties ? field : null
}

function typeOf({ $ref, anyOf, type, enum: values }: JsonSchema): string {
  if ($ref) return 'object'
  if (anyOf) return words(anyOf.map(typeOf))
  if (values) return words(values.map((value) => (value === null ? 'null' : code(String(value)))))
  return words([type ?? 'any value'].flat())
}
