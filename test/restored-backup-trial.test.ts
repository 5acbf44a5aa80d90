import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { restoreOlderBackup } from '../trials/restored-backup.ts'
import { emptyDatabase, testDatabase } from './database.ts'

// A short run; `npm run trials restored-backup` is the long one.
test('a service that is restored from a backup charges nothing again that was charged after it', async () => {
  const [{ url: platformUrl }, { url: databaseUrl }, emptyUrl] = await Promise.all([
    testDatabase(),
    testDatabase(),
    emptyDatabase()
  ])
  const dataDir = await mkdtemp(join(tmpdir(), 'perennial-restore-'))
  try {
    await restoreOlderBackup({ platformUrl, databaseUrl, emptyUrl, dataDir, subscriptions: 7, seed: 3 })
  } finally {
    await rm(dataDir, { recursive: true, force: true })
  }
})
