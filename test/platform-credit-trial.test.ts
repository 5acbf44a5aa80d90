import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { mirrorCredit } from '../trials/platform-credit.ts'
import { testDatabase } from './database.ts'

// Short runs; `npm run trials` are the long ones.
const run = async () => {
  const { url } = await testDatabase()
  const dataDir = await mkdtemp(join(tmpdir(), 'perennial-credit-'))
  try {
    const few = { customers: 10, kills: 3, seed: 7, lost: 0.2, unheard: 0.1 }
    return JSON.stringify(await mirrorCredit({ databaseUrl: url, dataDir, ...few }))
  } finally {
    await rm(dataDir, { recursive: true, force: true })
  }
}

// What no order explains is waited for two and a half minutes.
test('credit is on the platform once, whatever answers are lost, processes killed, and accounts changed there', async (t) => {
  t.diagnostic(await run())
})
