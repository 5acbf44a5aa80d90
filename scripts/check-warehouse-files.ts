// Fails when the declarations of the Data API have changed and the files for warehouses have not: `node scripts/check-warehouse-files.ts`.
import { staleFiles } from './warehouse-files.ts'

const stale = await staleFiles()
if (stale.length > 0) {
  process.stderr.write(`${stale.join(', ')}: run \`npm run warehouse:generate\` and commit it\n`)
  process.exitCode = 1
}
