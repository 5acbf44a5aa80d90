// Fails when docs/admin-api.md is not what the routes say: `node scripts/check-admin-api-page.ts`.
import { readFile } from 'node:fs/promises'
import { ADMIN_API_PAGE, adminApiPage } from './admin-api-page.ts'
import { apiDocuments } from './api-document.ts'

if ((await readFile(ADMIN_API_PAGE, 'utf8')) !== adminApiPage((await apiDocuments()).admin)) {
  process.stderr.write('docs/admin-api.md is not up to date: run npm run docs:generate\n')
  process.exitCode = 1
}
