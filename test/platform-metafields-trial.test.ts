import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { mirrorMetafields } from '../trials/platform-metafields.ts'
import { testDatabase } from './database.ts'

// A short run; `npm run trials` has the long ones.
test('metafields and tags are as they follow from the rows, whatever answers are lost, calls throttled and processes killed', async (t) => {
  const { url } = await testDatabase()
  const dataDir = await mkdtemp(join(tmpdir(), 'perennial-metafields-'))
  try {
    const few = { members: 60, rounds: 3, kills: 1, seed: 7 }
    t.diagnostic(JSON.stringify(await mirrorMetafields({ databaseUrl: url, dataDir, ...few })))
  } finally {
    await rm(dataDir, { recursive: true, force: true })
  }
})
