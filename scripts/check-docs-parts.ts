// Fails when a part of docs/ is not what the code says, or when ARCHITECTURE.md or a README names a file that is not there:
// `node scripts/check-docs-parts.ts`.
import { readFile } from 'node:fs/promises'
import { FILES_WITH_PARTS, withParts } from './docs-parts.ts'
import { missingPaths } from './documented-paths.ts'

for (const file of FILES_WITH_PARTS) {
  const text = await readFile(new URL(`../${file}`, import.meta.url), 'utf8')
  if (withParts(file, text) === text) continue
  process.stderr.write(`${file} has a part that is not up to date: run npm run docs:generate\n`)
  process.exitCode = 1
}
for (const missing of await missingPaths()) {
  process.stderr.write(`${missing} is not there\n`)
  process.exitCode = 1
}
