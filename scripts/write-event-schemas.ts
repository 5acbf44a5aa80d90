// Writes docs/schemas from the event schemas of this checkout: `npm run schemas:generate`.
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { EVENT_SCHEMAS_FOLDER, eventSchemaFiles } from './event-schema-files.ts'

await rm(EVENT_SCHEMAS_FOLDER, { recursive: true, force: true })
await mkdir(EVENT_SCHEMAS_FOLDER, { recursive: true })
for (const [name, json] of eventSchemaFiles()) await writeFile(new URL(name, EVENT_SCHEMAS_FOLDER), json)
