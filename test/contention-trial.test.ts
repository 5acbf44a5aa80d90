import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { contendForRetries } from '../trials/contention.ts'
import { testDatabase } from './database.ts'

// A short run; `npm run trials` is the long one.
test('two manual retries, the schedulers of two processes and a cancellation at once charge a cycle at most once', async () => {
  const { url } = await testDatabase()
  const dataDir = await mkdtemp(join(tmpdir(), 'perennial-contention-'))
  try {
    await contendForRetries({ databaseUrl: url, dataDir, subscriptions: 25, seed: 7 })
  } finally {
    await rm(dataDir, { recursive: true, force: true })
  }
})
