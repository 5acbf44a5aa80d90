import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { deductConcurrently } from '../trials/concurrent-deducts.ts'
import { testDatabase } from './database.ts'

// A short run; `npm run trials` is the long one. A busy machine answers 503 now and then, which clients repeat.
test('of 200 deductions over four processes at once, a credit of 100 pays for exactly 100', async () => {
  const { db, url } = await testDatabase()
  const dataDir = await mkdtemp(join(tmpdir(), 'perennial-deducts-'))
  try {
    await deductConcurrently({ databaseUrl: url, db, dataDir, rounds: 2, seed: 7, isPatient: true })
  } finally {
    await rm(dataDir, { recursive: true, force: true })
  }
})
