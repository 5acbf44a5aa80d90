// Writes an OpenAPI document of this checkout to a file, or to the output:
//   node scripts/write-openapi.ts [--surface rest|storefront|data|collection|admin] [file]
import { writeFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { apiDocuments, jsonOf, type SurfaceName } from './api-document.ts'

const { values, positionals } = parseArgs({
  options: { surface: { type: 'string', default: 'rest' } },
  allowPositionals: true
})
const document = (await apiDocuments())[values.surface as SurfaceName]
if (!document) throw new Error(`--surface must be rest, storefront, data, collection or admin, not ${values.surface}`)
const [path] = positionals
if (path) await writeFile(path, jsonOf(document))
else process.stdout.write(jsonOf(document))
