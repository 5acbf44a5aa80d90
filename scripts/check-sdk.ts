// Fails when an API document has changed and the types of its client have not: `node scripts/check-sdk.ts`.
import { readFile } from 'node:fs/promises'
import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { documentsForTypes, isMadeFrom, TYPES_FILES, type TypedSurface } from './sdk-types.ts'

const documents = await documentsForTypes()
for (const surface of Object.keys(TYPES_FILES) as TypedSurface[]) {
  const file = TYPES_FILES[surface]
  if (isMadeFrom(await readFile(file, 'utf8'), documents[surface])) continue
  process.stderr.write(
    `${relative(process.cwd(), fileURLToPath(file))} is not what the API document of this checkout gives: run \`npm run sdk:generate\` and commit it\n`
  )
  process.exitCode = 1
}
