import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { failDatabase } from '../trials/database-faults.ts'

// A short run with the real limits; `npm run trials database-faults` is the long one.
test('under load, a line that stalls, a killed server, ended connections and a stop lose nothing, and all goes on by itself', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'perennial-faults-'))
  try {
    const faults = ['half-open', 'terminated', 'postmaster-killed', 'sigterm'] as const
    await failDatabase({ dataDir, faults, holdMs: 1_500, seed: 3 })
  } finally {
    await rm(dataDir, { recursive: true, force: true })
  }
})
