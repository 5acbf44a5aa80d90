import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { killDuringRenewals } from '../trials/kill-renewals.ts'
import { testDatabase } from './database.ts'

// A short run; `npm run trials` is the long one.
test('after a SIGKILL in the middle of a renewal run, each renewal is billed once and each event delivered', async () => {
  const { url } = await testDatabase()
  const dataDir = await mkdtemp(join(tmpdir(), 'perennial-kill-'))
  try {
    // Few subscriptions, so that each wrong result needs a larger share to occur.
    const wrong = { never: 0.05, late: 0.1, reversed: 0.1, corrected: 0.1, reportedFailed: 0.1 }
    const { outcomes } = await killDuringRenewals({
      databaseUrl: url,
      dataDir,
      subscriptions: 40,
      kills: 2,
      seed: 3,
      wrong
    })
    assert.deepEqual(Object.keys(outcomes).sort(), [
      'corrected',
      'late',
      'never',
      'reported_failed',
      'reversed',
      'success'
    ])
  } finally {
    await rm(dataDir, { recursive: true, force: true })
  }
})
