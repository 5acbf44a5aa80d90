import pg from 'pg'
import { type Applied, type MigrationSet, planMigration, type SetPlan } from './migration-set.ts'
import { createRoles } from './roles.ts'

const LOCK = 7_236_001
const DEADLOCK = '40P01'
const MAX_TRIES = 5

const OLDER_THAN_BASELINE =
  'This database was created by a version of Perennial from before the first release, and its tables cannot be migrated. ' +
  'Use an empty database (DATABASE_URL), or remove the embedded one (DATA_DIR/postgres)'

/**
 * Migrates the schema of every set to its newest version, and returns the names of the files applied now. Each numbered
 * migration runs in its own transaction; after them, the functions whose files have changed are replaced in one transaction.
 * One advisory lock covers everything, so several nodes may start at once.
 *
 * `through` stops at the migration that it names for each set, before any function: for rows of an older version, which are loaded
 * before functions and triggers are made.
 *
 * A database that a newer version has migrated is left unchanged if that version allows this one to run on it. Throws if it does
 * not, if a migration was changed after it was applied, if the database is older than the baseline, and if the server is older
 * than PostgreSQL 15.
 */
export async function migrate(
  url: string,
  sets: readonly MigrationSet[],
  log: (line: string) => void = () => {},
  through?: Record<string, string>
): Promise<string[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    const version = Number((await client.query('show server_version_num')).rows[0].server_version_num)
    if (version < 150_000) throw new Error(`PostgreSQL 15 or later is required; this server is ${version / 10_000}`)
    await client.query('select pg_advisory_lock($1)', [LOCK])
    await createRoles(client)
    await refuseOldNames(client)
    await client.query(`create table if not exists schema_migrations (
      migration_set text not null, name text not null, hash text not null, oldest_code integer not null,
      applied_at timestamptz not null default now(), primary key (migration_set, name))`)
    // All sets are checked before anything is changed.
    const plans: SetPlan[] = []
    for (const set of sets)
      plans.push(await planMigration(set, await appliedOf(client, set.name), through && (through[set.name] ?? '')))
    const names: string[] = []
    for (const plan of plans) names.push(...(await apply(client, plan, log)))
    return names
  } finally {
    await client.end()
  }
}

async function refuseOldNames(client: pg.Client): Promise<void> {
  const { rows } = await client.query(
    `select exists (select from pg_attribute where attrelid = c.oid and attname = 'migration_set') as known
       from (select to_regclass('schema_migrations') as oid) c where c.oid is not null`
  )
  if (rows[0]?.known === false) throw new Error(OLDER_THAN_BASELINE)
}

async function appliedOf(client: pg.Client, set: string): Promise<Applied[]> {
  const { rows } = await client.query(
    'select name, hash, oldest_code as "oldestCode" from schema_migrations where migration_set = $1 order by name',
    [set]
  )
  return rows
}

async function apply(client: pg.Client, plan: SetPlan, log: (line: string) => void): Promise<string[]> {
  const record = async (name: string, hash: string, oldestCode: number) => {
    await client.query(
      `insert into schema_migrations (migration_set, name, hash, oldest_code) values ($1, $2, $3, $4)
       on conflict (migration_set, name) do update
         set hash = excluded.hash, oldest_code = excluded.oldest_code, applied_at = statement_timestamp()`,
      [plan.set, name, hash, oldestCode]
    )
  }
  for (const { name, text, hash, oldestCode } of plan.migrations) {
    await inTransaction(client, async () => {
      await client.query(text).catch((err: Error) => {
        throw new Error(`Migration ${name} failed: ${err.message}`, { cause: err })
      })
      await record(name, hash, oldestCode)
    })
    log(`migrated ${name}`)
  }
  if (plan.functions.length > 0 || plan.removed.length > 0) {
    await inTransaction(client, async () => {
      // Functions call each other, so no order lets PostgreSQL check each body when it is created.
      await client.query('set local check_function_bodies = off')
      for (const { name, text, hash } of plan.functions) {
        await client.query(text).catch((err: Error & { code?: string }) => {
          throw Object.assign(new Error(`${name} failed: ${err.message}`, { cause: err }), { code: err.code })
        })
        await record(name, hash, 0)
      }
      await client.query('delete from schema_migrations where migration_set = $1 and name = any ($2)', [
        plan.set,
        plan.removed
      ])
    })
    for (const { name } of plan.functions) log(`replaced ${name}`)
  }
  return [...plan.migrations, ...plan.functions].map(({ name }) => name)
}

/** Retries after a deadlock: replacing a trigger locks its table, in a different order than running writers do. */
async function inTransaction(client: pg.Client, work: () => Promise<void>): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    await client.query('begin')
    try {
      await work()
      await client.query('commit')
      return
    } catch (err) {
      await client.query('rollback')
      if (attempt < MAX_TRIES && (err as { code?: string }).code === DEADLOCK) continue
      throw err
    }
  }
}
