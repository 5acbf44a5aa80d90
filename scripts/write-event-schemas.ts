// Writes docs/schemas from the event schemas of this checkout: `npm run schemas:generate`.
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { EVENT_SCHEMAS_FOLDER, eventSchemaFiles } from './event-schema-files.ts'

await mkdir(EVENT_SCHEMAS_FOLDER, { recursive: true })
// Its folder `data` has the schemas of the Data API.
for (const name of await readdir(EVENT_SCHEMAS_FOLDER)) {
  if (name.endsWith('.json')) await rm(new URL(name, EVENT_SCHEMAS_FOLDER))
}
for (const [name, json] of eventSchemaFiles()) await writeFile(new URL(name, EVENT_SCHEMAS_FOLDER), json)
