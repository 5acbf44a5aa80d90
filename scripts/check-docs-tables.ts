// Fails when a table in docs/ is not what the registries say: `node scripts/check-docs-tables.ts`.
import { readFile } from 'node:fs/promises'
import { FILES_WITH_TABLES, withTables } from './docs-tables.ts'

for (const file of FILES_WITH_TABLES) {
  const text = await readFile(new URL(`../${file}`, import.meta.url), 'utf8')
  if (withTables(file, text) === text) continue
  process.stderr.write(`${file} has a table that is not up to date: run npm run docs:generate\n`)
  process.exitCode = 1
}
