import { chmod, mkdtemp, rm, statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { migrate } from '#kit/postgres'
import { MIGRATIONS } from '../src/app/migrations.ts'

/** Nothing here has to survive a crash: tests kill the service, never the database server. */
const SETTINGS = {
  fsync: 'off',
  full_page_writes: 'off',
  synchronous_commit: 'off',
  max_wal_size: '1GB',
  // Most statements run a few times on each connection: to plan each once takes a fifth less of the server's CPU time.
  plan_cache_mode: 'force_generic_plan',
  // Files that run at once start several services each, which have two dozen connections each.
  max_connections: '400'
}
/** A whole run needs a few hundred MB beside the WAL. */
const ROOM_BYTES = 3 * 2 ** 30

/** Memory where the system has a folder for it with room: a copy of the template takes a tenth of the time there. */
export async function temporaryFolder(): Promise<string> {
  const memory = await statfs('/dev/shm').catch(() => null)
  return memory && memory.bavail * memory.bsize > ROOM_BYTES ? '/dev/shm' : tmpdir()
}

/**
 * A PostgreSQL for tests, TEST_DATABASE_URL or one of its own. Sets the environment by which `database.ts` and the processes of
 * tests find it; `makeTemplate` creates what every test file copies.
 */
export async function startTestServer() {
  const given = process.env.TEST_DATABASE_URL
  const dataDir = given ? null : await mkdtemp(join(await temporaryFolder(), 'perennial-test-'))
  // Services that root starts here continue as the user of the database, who must be able to reach its socket.
  if (dataDir) await chmod(dataDir, 0o711)
  const embedded = dataDir
    ? await (await import('../src/embedded-postgres/start.ts')).startEmbeddedPostgres({
        dataDir,
        settings: SETTINGS
      })
    : null
  process.env.TEST_DATABASE_URL = given ?? embedded!.url
  process.env.TEST_TEMPLATE ??= `perennial_template_${process.pid}`
  // Each file is a process that loads mostly the same modules; without the cache this takes a quarter of the time.
  process.env.NODE_COMPILE_CACHE ??= join(tmpdir(), 'perennial-test-modules')
  // Two and a half thousand files: to ask of each whether it is a link takes a sixth of the time that loading them takes.
  process.env.NODE_PRESERVE_SYMLINKS ??= '1'
  const { onServer, TEMPLATE, urlOf } = await import('./database.ts')
  return {
    onServer,
    template: TEMPLATE,
    urlOf,
    async makeTemplate() {
      await onServer(`drop database if exists ${TEMPLATE}`)
      await onServer(`create database ${TEMPLATE}`)
      await migrate(urlOf(TEMPLATE), MIGRATIONS)
    },
    /** A copy of the template with a function replaced, for tests of that function. */
    async copyTemplate(name: string, functions: string) {
      await onServer(`create database ${name} template ${TEMPLATE}`)
      await queryOn(urlOf(name), functions)
    },
    /** The names of all databases. */
    async databases(): Promise<string[]> {
      const { rows } = await queryOn(urlOf('postgres'), 'select datname from pg_database')
      return rows.map(({ datname }) => datname)
    },
    async stop() {
      await onServer(`drop database if exists ${TEMPLATE} with (force)`).catch(() => {})
      await embedded?.stop()
      if (dataDir) await rm(dataDir, { recursive: true, force: true })
    }
  }
}

export type TestServer = Awaited<ReturnType<typeof startTestServer>>

async function queryOn(connectionString: string, text: string) {
  const client = new pg.Client({ connectionString })
  await client.connect()
  try {
    return await client.query(text)
  } finally {
    await client.end()
  }
}
