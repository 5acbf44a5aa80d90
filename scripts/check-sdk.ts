// Fails when the API document has changed and the types of the client have not: `node scripts/check-sdk.ts`.
import { readFile } from 'node:fs/promises'
import { documentForTypes, isMadeFrom, TYPES_FILE } from './sdk-types.ts'

if (!isMadeFrom(await readFile(TYPES_FILE, 'utf8'), await documentForTypes())) {
  process.stderr.write(
    'sdk/src/openapi.ts is not what the API document of this checkout gives: run `npm run sdk:generate` and commit it\n'
  )
  process.exitCode = 1
}
