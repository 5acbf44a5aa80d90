import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { restartDatabase } from '../trials/restart-database.ts'
import { testDatabase } from './database.ts'

// A short run; `npm run trials restart-database` is the long one.
test('after restarts of PostgreSQL in the middle of a renewal run, each renewal is billed once and what was acknowledged is there', async () => {
  const { url } = await testDatabase()
  const dataDir = await mkdtemp(join(tmpdir(), 'perennial-restart-'))
  try {
    // With this seed the first charges have one that is taken back.
    const { died, takenBackUnheard } = await restartDatabase({
      platformUrl: url,
      dataDir,
      subscriptions: 12,
      restarts: 2,
      seed: 5
    })
    assert.ok(died.database + died.both > 0)
    assert.ok(takenBackUnheard > 0)
  } finally {
    await rm(dataDir, { recursive: true, force: true })
  }
})
