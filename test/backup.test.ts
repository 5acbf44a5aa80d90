// Backup and restore of the whole database, by files of our own.
import assert from 'node:assert/strict'
import { cp, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { fileURLToPath, pathToFileURL } from 'node:url'
import pg from 'pg'
import { Database, type MigrationSet, migrate } from '#kit/postgres'
import { Refusal } from '#kit/refusal'
import { schemaText } from '../scripts/schema-text.ts'
import { MIGRATIONS } from '../src/app/migrations.ts'
import { restoreBackup } from '../src/backup/restore-backup.ts'
import { takeIn } from '../src/backup/restored-database.ts'
import { writeBackup } from '../src/backup/write-backup.ts'
import { emptyDatabase, testDatabase } from './database.ts'
import { contentOf } from './database-content.ts'
import { startService } from './service-builder.ts'

const { url } = await testDatabase()
const service = await startService(url)
const store = await service.aStore()
await store.member('ada@example.com')
await store.member('naïve\t"\\N"\n@example.com'.replace(/[\n\t]/g, ''))
await service.admin('POST', `${store.at}/webhooks`, { url: `${service.url}/nowhere` })
await store.advance({ by: 'P2M' })

const folder = await mkdtemp(join(tmpdir(), 'perennial-backup-'))
after(() => rm(folder, { recursive: true, force: true }))
const path = join(folder, 'whole.backup')
const backUp = (to: string, options: { withSandbox?: boolean } = {}) =>
  writeBackup({ url, path: to, withSandbox: true, masterKeyHint: null, ...options })
const report = await backUp(path)
const restore = (to: string, from = path, sets: readonly MigrationSet[] = MIGRATIONS) =>
  restoreBackup({ url: to, path: from, sets, log: () => {} })

async function connected<T>(to: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: to })
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

const isRefusal = (expected: RegExp) => (err: unknown) => err instanceof Refusal && expected.test(err.message)

/** The load changes them after it has read them back: the stores are on hold. */
const HELD = ['public.stores', 'public.reconciliations']

test('a backup that is restored into an empty database has every row, and the schema of a migrated one', async () => {
  const to = await emptyDatabase()
  const { rows, tables, header } = await restore(to)
  assert.deepEqual([rows, tables, header.hasSandbox], [report.rows, report.tables, true])
  const content = await contentOf(to)
  const [were, are] = [Object.entries(await contentOf(url)), Object.entries(content)].map((tables) =>
    tables.map(([name, state]) => (HELD.includes(name) ? [name, state[0]] : [name, state]))
  )
  assert.deepEqual(are, were)
  const { rows: stores } = await connected(to, (client) =>
    client.query('select restored_at is not null as is_held, catching_up from stores')
  )
  assert.deepEqual(stores, [{ is_held: true, catching_up: true }])
  const { rows: walks } = await connected(to, (client) =>
    client.query('select from reconciliations where finished_at is not null or next_at > now()')
  )
  assert.equal(walks.length, 0, 'everything is to be read')
  assert.ok(content['public.billing_attempts']![0] >= 4)
  assert.ok(content['sandbox.orders']![0] >= 4)
  const text = (of: string) => connected(of, schemaText)
  const fresh = await emptyDatabase()
  await migrate(fresh, MIGRATIONS)
  assert.equal(withoutDays(await text(to)), withoutDays(await text(fresh)))
  await assert.rejects(restore(to), isRefusal(/The database is not empty \(\w+ has rows\)/))
  assert.deepEqual(await contentOf(to), content)
})

/** Without partitions: a database has those of its own days. */
const withoutDays = (text: string) =>
  text
    .split('\n\n')
    .filter((part) => !/_\d{8}\b/.test(part))
    .join('\n\n')

test('ids that were given after the backup are not given again', async () => {
  const to = await emptyDatabase()
  await restore(to)
  const db = new Database({ url: to })
  await takeIn({ db, url: to, dataDir: folder })
  await db.close()
  const next = (of: string) =>
    connected(of, async (client) => {
      const { rows } = await client.query(
        `select nextval(pg_get_serial_sequence('billing_attempts', 'id'))::int as attempt, nextval('webhook_delivery_ids')::int as delivery`
      )
      return rows[0] as { attempt: number; delivery: number }
    })
  const [restored, original] = [await next(to), await next(url)]
  assert.ok(restored.attempt - original.attempt >= 9_999_999, `${restored.attempt} and ${original.attempt}`)
  assert.ok(restored.delivery - original.delivery >= 9_999_999)
})

test('without the sandbox, its tables are empty', async () => {
  const file = join(folder, 'service.backup')
  await backUp(file, { withSandbox: false })
  const to = await emptyDatabase()
  await restore(to, file)
  const content = await contentOf(to)
  const original = await contentOf(url)
  for (const [name, found] of Object.entries(content)) {
    if (HELD.includes(name)) assert.equal(found[0], original[name]![0], name)
    else if (name.startsWith('public.')) assert.deepEqual(found, original[name], name)
    else assert.equal(found[0], 0, name)
  }
})

test('a backup is what the database had at one instant, whatever is written meanwhile', async () => {
  let isOver = false
  const writing = connected(url, async (client) => {
    // One table that is read early, and one that is read late.
    for (let n = 0; !isOver; n++) {
      await client.query('begin')
      await client.query(`insert into known_consumers (name, facts) values ('c${n}', '{}')`)
      await client.query(
        `insert into alerts (store_id, kind, subject, message, created_at) values ($1, 'pair', 's', 'm', now())`,
        [store.storeId]
      )
      await client.query('commit')
    }
  })
  const file = join(folder, 'instant.backup')
  try {
    await backUp(file)
  } finally {
    isOver = true
    await writing
  }
  const to = await emptyDatabase()
  await restore(to, file)
  const counts = (of: string) =>
    connected(of, async (client) => {
      const { rows } = await client.query(
        `select (select count(*) from known_consumers where name ~ '^c[0-9]') as consumers,
                (select count(*) from alerts where kind = 'pair') as alerts`
      )
      return rows[0] as { consumers: string; alerts: string }
    })
  const restored = await counts(to)
  assert.equal(restored.consumers, restored.alerts)
  const { alerts } = await counts(url)
  assert.ok(Number(alerts) > Number(restored.alerts), 'the test wrote while the backup was read')
  await connected(url, async (client) => {
    await client.query(`delete from known_consumers where name ~ '^c[0-9]'; delete from alerts where kind = 'pair'`)
  })
})

test('a file that is cut off, damaged or no backup restores nothing, and a good one can follow', async () => {
  const to = await emptyDatabase()
  const whole = await readFile(path)
  const cut = join(folder, 'cut.backup')
  const damaged = join(folder, 'damaged.backup')
  const other = join(folder, 'other.backup')
  await writeFile(cut, whole.subarray(0, whole.length - 200))
  await writeFile(damaged, withFlippedBit(whole, Math.floor(whole.length / 2)))
  await writeFile(other, 'not a backup')
  await assert.rejects(restore(to, cut), isRefusal(/cut off/))
  await assert.rejects(restore(to, damaged))
  await assert.rejects(restore(to, other), isRefusal(/not a backup of Perennial/))
  await assert.rejects(restore(to, join(folder, 'none.backup')), isRefusal(/there is no such file/))
  assert.ok(Object.values(await contentOf(to)).every(([rows]) => rows <= 1))
  const { rows } = await restore(to)
  assert.equal(rows, report.rows)
})

function withFlippedBit(bytes: Buffer, at: number): Buffer {
  const copy = Buffer.from(bytes)
  copy[at]! ^= 1
  return copy
}

test('a table that does not have the rows as they were in the backup undoes the restore', async () => {
  const to = await emptyDatabase()
  await migrate(to, MIGRATIONS, () => {}, { perennial: '9999', sandbox: '9999' })
  // It pads every name with blanks, as a column that cuts or rounds would change values without an error.
  await connected(to, (client) => client.query('alter table stores alter column name type char(250)'))
  await assert.rejects(restore(to), /stores was loaded with other rows than the backup has: nothing was restored/)
  assert.equal((await contentOf(to))['public.stores']![0], 0)
})

test('a backup of an older schema is restored and then migrated; one of a newer schema is refused', async () => {
  const newer = await Promise.all(
    MIGRATIONS.map(async ({ name, directory }): Promise<MigrationSet> => {
      const copy = join(folder, `newer-${name}`)
      await cp(fileURLToPath(directory), copy, { recursive: true })
      return { name, directory: pathToFileURL(`${copy}/`) }
    })
  )
  await writeFile(
    join(folder, 'newer-perennial', '0999-fill.sql'),
    `alter table stores add column motto text; update stores set motto = 'of ' || name;`
  )
  const to = await emptyDatabase()
  await restore(to, path, newer)
  const mottos = await connected(to, async (client) => (await client.query('select motto from stores')).rows)
  assert.deepEqual(mottos, [{ motto: 'of Test shop' }])

  const file = join(folder, 'newer.backup')
  await writeBackup({ url: to, path: file, withSandbox: true, masterKeyHint: null })
  const empty = await emptyDatabase()
  await assert.rejects(
    restore(empty, file),
    isRefusal(/newer version of Perennial .* 0999-fill\.sql, which this version does not have/)
  )
  assert.deepEqual(await contentOf(empty), {})

  // A database that is further than the backup cannot take its rows.
  const further = await emptyDatabase()
  await migrate(further, newer)
  await assert.rejects(
    restore(further, path, newer),
    isRefusal(/has the migration 0999-fill\.sql, and the backup is from before it/)
  )
})

test('a backup replaces no file, and only its owner can read it', async () => {
  await assert.rejects(backUp(path), isRefusal(/it exists already/))
  await assert.rejects(backUp(join(folder, 'none', 'a.backup')), isRefusal(/cannot be written/))
  assert.equal((await stat(path)).mode & 0o777, 0o600)
  const empty = await emptyDatabase()
  await assert.rejects(
    writeBackup({ url: empty, path: join(folder, 'empty.backup'), withSandbox: true, masterKeyHint: null }),
    isRefusal(/no tables of Perennial/)
  )
})
