// Writes the OpenAPI document of this checkout to a file, or to the output:
//   node scripts/write-openapi.ts [file]
import { writeFile } from 'node:fs/promises'
import { apiDocument } from './api-document.ts'

const [path] = process.argv.slice(2)
const json = await apiDocument()
if (path) await writeFile(path, json)
else process.stdout.write(json)
