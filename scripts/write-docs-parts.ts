// Writes the parts of docs/ that are made from the code: `node scripts/write-docs-parts.ts`.
import { readFile, writeFile } from 'node:fs/promises'
import { FILES_WITH_PARTS, withParts } from './docs-parts.ts'

for (const file of FILES_WITH_PARTS) {
  const path = new URL(`../${file}`, import.meta.url)
  await writeFile(path, withParts(file, await readFile(path, 'utf8')))
}
