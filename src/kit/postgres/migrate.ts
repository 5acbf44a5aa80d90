import { readdir, readFile } from 'node:fs/promises'
import pg from 'pg'
import { OPERATOR_ROLE, STORE_ROLE } from './database.ts'

const MIGRATIONS = new URL('../../../migrations/', import.meta.url)
const LOCK = 7_236_001

/**
 * Brings the schema to the newest version: plain SQL files in order of their numbers, each in its own transaction, under
 * an advisory lock so that several nodes may start at once. Forward only. Returns the names applied now.
 * Throws when the database is older than PostgreSQL 15, or already ran a migration that this version does not have.
 */
export async function migrate(url: string, log: (line: string) => void = () => {}): Promise<string[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    const version = Number((await client.query('show server_version_num')).rows[0].server_version_num)
    if (version < 150_000) throw new Error(`PostgreSQL 15 or later is needed; this server is ${version / 10_000}`)
    await client.query('select pg_advisory_lock($1)', [LOCK])
    await makeRoles(client)
    await client.query(`create table if not exists schema_migrations (
      name text primary key, applied_at timestamptz not null default now())`)
    const files = (await readdir(MIGRATIONS)).filter((name) => name.endsWith('.sql')).sort()
    const applied = new Set<string>((await client.query('select name from schema_migrations')).rows.map((r) => r.name))
    const unknown = [...applied].filter((name) => !files.includes(name))
    if (unknown.length > 0) {
      throw new Error(
        `The database was migrated by a newer version of Perennial (${unknown.join(', ')}); start that version`
      )
    }
    const waiting = files.filter((name) => !applied.has(name))
    for (const name of waiting) {
      await client.query('begin')
      try {
        await client.query(await readFile(new URL(name, MIGRATIONS), 'utf8'))
        await client.query('insert into schema_migrations (name) values ($1)', [name])
        await client.query('commit')
      } catch (err) {
        await client.query('rollback')
        throw new Error(`Migration ${name} failed: ${(err as Error).message}`, { cause: err })
      }
      log(`migrated ${name}`)
    }
    return waiting
  } finally {
    await client.end()
  }
}

/**
 * Roles belong to the whole server and two databases may start at once, so "already there" is no error. Their rights must
 * be inherited: row-level security shows the owner of the tables nothing but by the operator role's policy, and a
 * migration that moves rows would find none.
 */
async function makeRoles(client: pg.Client) {
  const has = async (role: string): Promise<boolean> => {
    const found = await client.query("select pg_has_role(oid, 'usage') as has from pg_roles where rolname = $1", [role])
    return found.rows[0]?.has === true
  }
  for (const role of [STORE_ROLE, OPERATOR_ROLE]) {
    if (await has(role)) continue
    try {
      await client.query(
        `do $$ begin
           if not exists (select from pg_roles where rolname = '${role}') then create role ${role} nologin; end if;
         exception when duplicate_object or unique_violation then null; end $$`
      )
      await client.query(`grant ${role} to current_user`)
      if (!(await has(role))) throw new Error('it does not inherit its rights')
    } catch (err) {
      throw new Error(
        `The database user may not make the role ${role} (${(err as Error).message}); let an administrator run: ` +
          `create role ${role} nologin; alter role <the user of DATABASE_URL> inherit; grant ${role} to <the user of DATABASE_URL>`
      )
    }
  }
}
