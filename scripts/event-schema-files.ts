import { EVENT_SCHEMAS, EVENT_TYPES } from '#webhooks'
import { createPublisher, type JsonSchema } from '../src/http/shared/json-schema.ts'

export const EVENT_SCHEMAS_FOLDER = new URL('../docs/schemas/', import.meta.url)

/** A JSON Schema of each event type, envelope included, that needs no other file; by file name. */
export function eventSchemaFiles(): Map<string, string> {
  return new Map(
    EVENT_TYPES.map((type) => {
      const { title, ...schema } = EVENT_SCHEMAS[type] as JsonSchema
      const { forResponse, components } = createPublisher()
      const published = forResponse(schema)
      const file = {
        $schema: 'https://json-schema.org/draft/2020-12/schema',
        $id: `urn:perennial:event:${type}`,
        title,
        ...published,
        $defs: components
      }
      const json = JSON.stringify(file, null, 2).replaceAll('"#/components/schemas/', '"#/$defs/')
      return [`${type}.schema.json`, `${json}\n`]
    })
  )
}
