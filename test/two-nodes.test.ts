import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { killOneOfTwoNodes } from '../trials/two-nodes.ts'
import { testDatabase } from './database.ts'

// A short run; `npm run trials two-nodes` is the long one.
test('two nodes, a test clock moved while both run, one killed: the same charges and events as one node alone', async () => {
  const { url } = await testDatabase()
  const dataDir = await mkdtemp(join(tmpdir(), 'perennial-two-'))
  try {
    await killOneOfTwoNodes({ databaseUrl: url, dataDir, subscriptions: 8, moves: 8, kills: 3, seed: 5 })
  } finally {
    await rm(dataDir, { recursive: true, force: true })
  }
})
