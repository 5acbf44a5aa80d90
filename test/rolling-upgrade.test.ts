import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { type OlderCode, olderCode } from '../trials/older-commit.ts'
import { upgradeUnderLoad } from '../trials/rolling-upgrade.ts'
import { emptyDatabase, testDatabase } from './database.ts'

// Short runs; `npm run trials rolling-upgrade` has the long ones. A shallow clone lacks the commit and says so.
const found = await olderCode()
const skip = 'skipped' in found ? found.skipped : false
const older = found as OlderCode
after(() => (skip ? undefined : older.remove()))

async function run(order: 'upgrade' | 'rollback'): Promise<void> {
  const { url: platformUrl } = await testDatabase()
  // The first node makes the schema, of its own version.
  const databaseUrl = await emptyDatabase()
  const dataDir = await mkdtemp(join(tmpdir(), 'perennial-rolling-'))
  try {
    await upgradeUnderLoad({ platformUrl, databaseUrl, dataDir, older, order, subscriptions: 5, months: 1, seed: 3 })
  } finally {
    await rm(dataDir, { recursive: true, force: true })
  }
}

test('a node of this version joins one of the older version, under load, and continues alone', { skip }, () =>
  run('upgrade')
)

test('a node of the older version joins one of this version, under load, and continues alone', { skip }, () =>
  run('rollback')
)
