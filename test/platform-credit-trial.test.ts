import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { mirrorCredit } from '../trials/platform-credit.ts'
import { testDatabase } from './database.ts'

// A short run; `npm run trials` is the long one.
test('credit is on the platform once, whatever answers are lost, processes killed, and accounts changed there', async (t) => {
  const { url } = await testDatabase()
  const dataDir = await mkdtemp(join(tmpdir(), 'perennial-credit-'))
  try {
    const few = { customers: 10, kills: 3, seed: 7, lost: 0.2, unheard: 0.1 }
    t.diagnostic(JSON.stringify(await mirrorCredit({ databaseUrl: url, dataDir, ...few })))
  } finally {
    await rm(dataDir, { recursive: true, force: true })
  }
})
