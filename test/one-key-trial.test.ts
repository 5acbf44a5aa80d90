import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { repeatOneKey } from '../trials/one-key.ts'
import { testDatabase } from './database.ts'

// A short run; `npm run trials` is the long one.
test('a request that is sent fifty times under one key has one effect and one response, also when a process dies', async () => {
  const { db, url } = await testDatabase()
  const dataDir = await mkdtemp(join(tmpdir(), 'perennial-key-'))
  try {
    await repeatOneKey({ databaseUrl: url, db, dataDir, rounds: 4, seed: 7 })
  } finally {
    await rm(dataDir, { recursive: true, force: true })
  }
})
