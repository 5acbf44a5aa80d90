// All checks that need no database, `npm run check`: as many at once as there are cores, the longest first. Prints what each said
// when it has ended, and fails when one does.
import { spawn } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { text } from 'node:stream/consumers'

const CHECKS = [
  // With several threads it needs nearly twice the time of all cores together, which the other checks use better.
  'tsc --singleThreaded -p .',
  'biome check .',
  'node scripts/check-openapi.ts',
  'knip',
  'node scripts/check-sql.ts',
  'node scripts/check-imports.ts',
  'node scripts/check-sdk.ts',
  'node scripts/check-admin-api-page.ts',
  'node scripts/check-event-schemas.ts',
  'node scripts/check-docs-parts.ts',
  'node scripts/check-warehouse-files.ts',
  'tsc -p src/plans/pricing',
  'tsc -p web/storefront',
  'tsc --singleThreaded -p web/admin'
]

const left = [...CHECKS]

async function runLeft(): Promise<void> {
  for (let check = left.shift(); check !== undefined; check = left.shift()) {
    const child = spawn(`${check} 2>&1`, { shell: true, stdio: ['ignore', 'pipe', 'inherit'] })
    const ended = new Promise<number>((resolve) => child.on('close', (code) => resolve(code ?? 1)))
    const said = await text(child.stdout)
    const code = await ended
    process.stdout.write(code === 0 ? said : `${said}\n${check} failed with ${code}\n`)
    if (code !== 0) process.exitCode = 1
  }
}

await Promise.all(Array.from({ length: availableParallelism() }, runLeft))
