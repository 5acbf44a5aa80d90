// Fails when the event schemas have changed and docs/schemas has not: `node scripts/check-event-schemas.ts`.
import { readdir, readFile } from 'node:fs/promises'
import { EVENT_SCHEMAS_FOLDER, eventSchemaFiles } from './event-schema-files.ts'

const wanted = eventSchemaFiles()
const there = (await readdir(EVENT_SCHEMAS_FOLDER)).filter((name) => name.endsWith('.json'))
const stale: string[] = there.filter((name) => !wanted.has(name))
for (const [name, json] of wanted) {
  const isSame = there.includes(name) && (await readFile(new URL(name, EVENT_SCHEMAS_FOLDER), 'utf8')) === json
  if (!isSame) stale.push(name)
}
if (stale.length > 0) {
  process.stderr.write(
    `docs/schemas is not of this checkout (${stale.join(', ')}): run \`npm run schemas:generate\` and commit it\n`
  )
  process.exitCode = 1
}
