import { createHmac } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { giveFiles, type ServiceUser } from '#kit/process'
import { Refusal } from '#kit/refusal'
import { findEmbeddedPostgres, startEmbeddedPostgres } from '../embedded-postgres/start.ts'
import { commandUser } from './as-service-user.ts'

/** Where the database of the installation is, and as whom the service runs when root starts it, as its environment says. */
export type DatabaseSettings = {
  dataDir: string
  databaseUrl: string | null
  /** Gives DATA_DIR to that user, too. */
  user(): ServiceUser | null
}

/**
 * Reads DATA_DIR, DATABASE_URL and PERENNIAL_USER alone: the other settings create files, such as a master key that a restore
 * must not make.
 */
export function databaseSettings(env: NodeJS.ProcessEnv): DatabaseSettings {
  const databaseUrl = env.DATABASE_URL?.trim() || null
  if (databaseUrl !== null && !/^postgres(ql)?:\/\//.test(databaseUrl)) {
    throw new Refusal('invalid_request', 'DATABASE_URL must be a postgres:// address')
  }
  const dataDir = resolve(env.DATA_DIR?.trim() || './data')
  return { dataDir, databaseUrl, user: () => commandUser(env, dataDir) }
}

/**
 * Gives `work` the database, also while the service uses it. Starts the embedded one for as long as that takes, if it does not
 * run.
 */
export async function withRunningDatabase<T>(
  settings: DatabaseSettings,
  work: (url: string) => Promise<T>
): Promise<T> {
  const { dataDir, databaseUrl } = settings
  if (databaseUrl !== null) return work(databaseUrl)
  const running = await findEmbeddedPostgres(dataDir)
  if (running !== null) return work(running)
  if (!existsSync(join(dataDir, 'postgres'))) {
    throw new Refusal(
      'not_found',
      `There is no database in ${dataDir}: set DATA_DIR or DATABASE_URL to that of the service`
    )
  }
  return withOwnDatabase(settings, work)
}

/** The same for a database that nobody else uses meanwhile; an embedded one is created. Refuses while the service has it. */
export async function withOwnDatabase<T>(
  { dataDir, databaseUrl, user }: DatabaseSettings,
  work: (url: string) => Promise<T>
): Promise<T> {
  if (databaseUrl !== null) return work(databaseUrl)
  const runAs = user()
  const embedded = await startEmbeddedPostgres({ dataDir, runAs: runAs ?? undefined }).catch((err: Error) => {
    throw new Refusal('unavailable', `The embedded database cannot be used: ${err.message}. Stop the service first`)
  })
  try {
    return await work(embedded.url)
  } finally {
    await embedded.stop()
    // What root has written meanwhile, if it still is root, would keep that user from starting.
    if (runAs) giveFiles(runAs, dataDir)
  }
}

/** Recognises the installation's master key without telling anything else of it; null where there is none. */
export function masterKeyHint(env: NodeJS.ProcessEnv, { dataDir }: Pick<DatabaseSettings, 'dataDir'>): string | null {
  const given = env.PERENNIAL_MASTER_KEY?.trim() || readIfThere(join(dataDir, 'master.key'))
  if (!given) return null
  return createHmac('sha256', Buffer.from(given, 'base64')).update('perennial backup').digest('hex').slice(0, 8)
}

function readIfThere(path: string): string {
  return existsSync(path) ? readFileSync(path, 'utf8').trim() : ''
}
