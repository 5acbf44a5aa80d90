import { Database, type MigrationSet, migrate } from '#kit/postgres'
import { Refusal } from '#kit/refusal'
import { asServiceUser } from './as-service-user.ts'
import { createBackupFile, openBackupFile } from './backup-file.ts'
import { databaseSettings, masterKeyHint, withOwnDatabase, withRunningDatabase } from './database-in-use.ts'
import { restoreBackup } from './restore-backup.ts'
import { takeIn } from './restored-database.ts'
import { writeBackup } from './write-backup.ts'

/** How the command runs: the environment, the folders of migrations, and where remarks go. */
export type CommandContext = { env: NodeJS.ProcessEnv; sets: readonly MigrationSet[]; say: (line: string) => void }

/** `perennial backup <file>` */
export async function backUp({ env, sets }: CommandContext, given: { path: string; withSandbox: boolean }) {
  const settings = databaseSettings(env)
  const { dataDir } = settings
  const hint = masterKeyHint(env, settings)
  const user = settings.user()
  const report = await withRunningDatabase({ ...settings, user: () => user }, (url) =>
    reachable(async () => {
      // As who has called: the service's user may not write to its folder.
      const file = user ? await createBackupFile(given.path) : undefined
      return asServiceUser({ user, dataDir, sets }, () => writeBackup({ ...given, url, masterKeyHint: hint, file }))
    })
  )
  return {
    file: report.path,
    bytes: report.bytes,
    tables: report.tables,
    rows: report.rows,
    sandbox: given.withSandbox
  }
}

/** `perennial restore <file>` */
export async function restore({ env, sets, say }: CommandContext, { path }: { path: string }) {
  const settings = databaseSettings(env)
  const { dataDir } = settings
  const user = settings.user()
  // As who has called: the file may be one that the service's user cannot open.
  const fd = user ? openBackupFile(path) : undefined
  return withOwnDatabase({ ...settings, user: () => user }, (url) =>
    reachable(async () => {
      const { header, tables, rows } = await asServiceUser({ user, dataDir, sets }, (readable) =>
        restoreBackup({ url, path, fd, sets: readable, log: () => {} })
      )
      const held = await takeInto(url, dataDir)
      const hint = masterKeyHint(env, settings)
      if (header.masterKeyHint !== null && header.masterKeyHint !== hint) {
        say(
          `The secrets in the backup are encrypted under ${hint === null ? 'a master key that is not here' : 'another master key'}: ` +
            'before the first start, set PERENNIAL_MASTER_KEY or put the master.key of that time into DATA_DIR'
        )
      }
      return { from: header.createdAt, written_by: header.service, tables, rows, stores_on_hold: held }
    })
  )
}

/** `perennial restore --mark`: the database was restored with another tool. */
export async function markAsRestored({ env, sets }: CommandContext) {
  const settings = databaseSettings(env)
  const { dataDir } = settings
  const user = settings.user()
  return withRunningDatabase({ ...settings, user: () => user }, (url) =>
    reachable(async () => {
      await asServiceUser({ user, dataDir, sets }, (readable) => migrate(url, readable))
      return { stores_on_hold: await takeInto(url, dataDir) }
    })
  )
}

async function takeInto(url: string, dataDir: string): Promise<number> {
  const db = new Database({ url, poolSize: 1, directConnections: 1, applicationName: 'perennial restore' })
  try {
    return await takeIn({ db, url, dataDir })
  } finally {
    await db.close()
  }
}

/** A server that cannot be reached, or refuses us, is no bug of ours. */
async function reachable<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (err) {
    const { code, message } = err as { code?: unknown; message: string }
    if (err instanceof Refusal || typeof code !== 'string') throw err
    throw new Refusal('unavailable', `The database cannot be used: ${message || code}`)
  }
}
