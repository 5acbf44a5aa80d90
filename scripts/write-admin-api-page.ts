// Writes docs/admin-api.md from the routes of the admin API: `node scripts/write-admin-api-page.ts`.
import { writeFile } from 'node:fs/promises'
import { ADMIN_API_PAGE, adminApiPage } from './admin-api-page.ts'
import { apiDocuments } from './api-document.ts'

await writeFile(ADMIN_API_PAGE, adminApiPage((await apiDocuments()).admin))
