import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { shareLimits } from '../trials/shared-limits.ts'
import { testDatabase } from './database.ts'

// A short run; `npm run trials` is the long one.
test('four processes admit exactly the limits of the minute and of the day, also when one dies', async () => {
  const { db, url } = await testDatabase()
  const dataDir = await mkdtemp(join(tmpdir(), 'perennial-limits-'))
  try {
    await shareLimits({ databaseUrl: url, db, dataDir, rounds: 4, kills: 1, seed: 7 })
  } finally {
    await rm(dataDir, { recursive: true, force: true })
  }
})
