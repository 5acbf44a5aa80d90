import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { spendByCodes } from '../trials/credit-codes.ts'
import { testDatabase } from './database.ts'

// Short runs; `npm run trials` are the long ones.
const run = async () => {
  const { url } = await testDatabase()
  const dataDir = await mkdtemp(join(tmpdir(), 'perennial-codes-'))
  try {
    const few = { customers: 10, kills: 2, seed: 7, lost: 0.2, unheard: 0.1 }
    return JSON.stringify(await spendByCodes({ databaseUrl: url, dataDir, ...few }))
  } finally {
    await rm(dataDir, { recursive: true, force: true })
  }
}

test('credit that is spent by codes is booked once, whatever answers are lost and processes killed', async (t) => {
  t.diagnostic(await run())
})
