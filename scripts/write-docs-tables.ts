// Writes the tables in docs/ that are made from registries: `node scripts/write-docs-tables.ts`.
import { readFile, writeFile } from 'node:fs/promises'
import { FILES_WITH_TABLES, withTables } from './docs-tables.ts'

for (const file of FILES_WITH_TABLES) {
  const path = new URL(`../${file}`, import.meta.url)
  await writeFile(path, withTables(file, await readFile(path, 'utf8')))
}
