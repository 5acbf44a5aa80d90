// Writes the files for warehouses from the declarations of the Data API: `npm run warehouse:generate`.
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { ROOT, staleFiles, warehouseFiles } from './warehouse-files.ts'

for (const path of await staleFiles()) await rm(new URL(path, ROOT), { force: true })
for (const [path, text] of warehouseFiles()) {
  const file = new URL(path, ROOT)
  await mkdir(new URL('.', file), { recursive: true })
  await writeFile(file, text)
}
