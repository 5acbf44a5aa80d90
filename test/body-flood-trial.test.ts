import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { floodWithBodies } from '../trials/body-flood.ts'
import { testDatabase } from './database.ts'

// One round of each flood with fewer connections; `npm run trials body-flood` is the long one.
test('floods of large bodies fill what is theirs, and nobody else goes unheard', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'perennial-flood-'))
  const { db, url } = await testDatabase()
  try {
    await floodWithBodies({ databaseUrl: url, db, dataDir, connections: 30, bodyBytes: 8 * 1024 * 1024, rounds: 1 })
  } finally {
    await rm(dataDir, { recursive: true, force: true })
  }
})
