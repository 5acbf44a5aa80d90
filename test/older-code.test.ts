// Expand and contract (migrations/README.md): the code of an older commit must run on the schema that the current migrations
// create. migrations/compatible-commit.json names the commit, and those of its test files that are run. The consumers of facts of
// two versions at once are below: none skips what the other wants.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtemp, readFile, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { after, type TestContext, test } from 'node:test'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import pg from 'pg'
import {
  consumer,
  createFactEngines,
  defineFact,
  record,
  registerConsumers,
  removeConsumers,
  startConsumersInStores
} from '#kit/outbox'
import { int, type MigrationSet, migrate, row, sql, textList } from '#kit/postgres'
import { PUBLIC_FACTS } from '#webhooks'
import { schemaText } from '../scripts/schema-text.ts'
import { MIGRATIONS } from '../src/app/migrations.ts'
import { type Applied, planMigration } from '../src/kit/postgres/migration-set.ts'
import { onServer, testDatabase, urlOf } from './database.ts'
import { enginesInTurn } from './engines-in-turn.ts'
import { startService } from './service-builder.ts'
import { aStore, type BuiltStore } from './store-builder.ts'

const run = promisify(execFile)
const ROOT = fileURLToPath(new URL('..', import.meta.url))

const { commit, tests } = JSON.parse(
  await readFile(new URL('../migrations/compatible-commit.json', import.meta.url), 'utf8')
) as { commit: string; tests: string[] }

const older = await mkdtemp(join(tmpdir(), 'perennial-older-'))
after(() => rm(older, { recursive: true, force: true }))
const olderSets: MigrationSet[] = MIGRATIONS.map(({ name, directory }) => ({
  name,
  directory: pathToFileURL(`${join(older, relative(ROOT, fileURLToPath(directory)))}/`)
}))

/** All files of a set, as recorded in a database that has applied them. */
async function appliedOf(set: MigrationSet): Promise<Applied[]> {
  const { migrations, functions } = await planMigration(set, [])
  return [...migrations, ...functions.map((file) => ({ ...file, oldestCode: 0 }))]
}

/** What the current version changes in a database of the older commit, per set. */
const changesSince = () =>
  Promise.all(MIGRATIONS.map(async (set, i) => planMigration(set, await appliedOf(olderSets[i]!))))

async function reasonToSkip(): Promise<string | null> {
  const known = run('git', ['-C', ROOT, 'cat-file', '-e', `${commit}^{commit}`])
  if (!(await known.then(Boolean, () => false))) {
    return `commit ${commit} is not in this copy, which has no git history or only a part of it`
  }
  await run('git', ['-C', ROOT, 'archive', '--format=tar', '-o', join(older, 'older.tar'), commit])
  await run('tar', ['-xf', join(older, 'older.tar'), '-C', older])
  await symlink(join(ROOT, 'node_modules'), join(older, 'node_modules'), 'junction')
  return null
}
const skip = (await reasonToSkip()) ?? false

/** A new database, migrated to these sets in order; dropped when the test ends. */
async function migrated(t: TestContext, ...versions: (readonly MigrationSet[])[]): Promise<string> {
  const name = `test_${process.pid}_${randomBytes(4).toString('hex')}`
  await onServer(`create database ${name}`)
  t.after(() => onServer(`drop database ${name} with (force)`))
  for (const sets of versions) await migrate(urlOf(name), sets)
  return urlOf(name)
}

async function schemaOf(url: string): Promise<string> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return await schemaText(client)
  } finally {
    await client.end()
  }
}

test('migrating a database of the older commit gives the same schema as an empty one', { skip }, async (t) => {
  const { url } = await testDatabase()
  assert.equal(await schemaOf(await migrated(t, olderSets, MIGRATIONS)), await schemaOf(url))
})

test('the older code starts on the current schema, as each migration since then declares', { skip }, async () => {
  for (const [i, set] of MIGRATIONS.entries()) {
    await assert.doesNotReject(planMigration(olderSets[i]!, await appliedOf(set)))
  }
})

test('a changed function comes with a new migration, so that the older code does not replace the function', {
  skip
}, async () => {
  for (const { set, migrations, functions } of await changesSince()) {
    const names = functions.map(({ name }) => name).join(', ')
    assert.ok(names === '' || migrations.length > 0, `add a migration to ${set}, a comment is enough: ${names} changed`)
  }
})

test('the older code joins, renews, retries, keeps credit and sends webhooks on the current schema', {
  skip
}, async () => {
  // TEST_DATABASE_URL and TEST_TEMPLATE are inherited, so that each of these files gets a copy of the current schema.
  const { NODE_TEST_CONTEXT: _, ...env } = process.env
  const args = ['--test', '--test-reporter=spec', '--test-concurrency=2', ...tests]
  const report = await run(process.execPath, args, { cwd: older, env, maxBuffer: 2 ** 26 }).then(
    ({ stdout }) => stdout,
    ({ stdout, stderr }) => assert.fail(`The tests of ${commit} fail on the present schema:\n${stdout}${stderr}`)
  )
  assert.match(report, /^ℹ pass [1-9]\d/m)
})

const { db } = await testDatabase()
const fact = (name: string) => (n: number, member: number) =>
  defineFact(name, () => ({ orderingKey: `member:${member}`, data: { n }, refs: { n } }))()
const [known, novel] = [fact('test.known'), fact('test.novel')]
const START = Temporal.Instant.from('2026-01-31T12:00:00Z')

/** A node of some version: its consumers, by name, with the facts that they receive. */
async function aVersion(consumers: Record<string, { facts: string[]; dropped?: string[]; fails?: () => boolean }>) {
  const handled: Record<string, number[]> = {}
  const made = Object.entries(consumers).map(([name, { facts, dropped, fails }]) => {
    const mine: number[] = []
    handled[name] = mine
    const handle = async (_ctx: object, given: { refs: Record<string, number> }[]) => {
      if (fails?.()) throw new Error('no')
      mine.push(...given.map(({ refs }) => refs.n!))
    }
    return consumer(name, facts, handle, { from: 'now', dropped })
  })
  const engine = enginesInTurn(createFactEngines({ db, consumers: made }))
  return {
    handled,
    /** As a service of this version does. */
    async start() {
      await registerConsumers(db, made)
      await startConsumersInStores(db, made)
    },
    stop: () =>
      removeConsumers(
        db,
        made.map(({ name }) => name),
        []
      ),
    async settle({ storeId }: BuiltStore) {
      while ((await engine.runOnce(storeId)) > 0);
    },
    nextDueAt: ({ storeId }: BuiltStore) => engine.nextDueAt(storeId)
  }
}
const KNOWN = { facts: ['test.known'] }
const BOTH = { facts: ['test.known', 'test.novel'] }

test('a fact that only newer code’s consumer receives is left to it, with the later facts of its key', async () => {
  const store = await aStore(db, { clockAt: START })
  const [old, current] = [await aVersion({ mirror: KNOWN }), await aVersion({ mirror: BOTH })]
  await old.start()
  await current.start()
  await store.inStore((ctx) => record(ctx, known(1, 7), novel(2, 7), known(3, 7), known(4, 8), novel(5, 8)))
  await old.settle(store)
  assert.deepEqual(old.handled.mirror, [1, 4])
  assert.equal(await old.nextDueAt(store), null, 'older code does not wait for it')
  // It starts again, which takes nothing from the newer version.
  await old.start()
  await store.inStore((ctx) => record(ctx, novel(6, 9), known(7, 9)))
  await old.settle(store)
  assert.deepEqual(old.handled.mirror, [1, 4])
  await current.settle(store)
  assert.deepEqual(
    current.handled.mirror!.toSorted((a, b) => a - b),
    [2, 3, 5, 6, 7]
  )
  assert.ok(current.handled.mirror!.indexOf(2) < current.handled.mirror!.indexOf(3))
  assert.ok(current.handled.mirror!.indexOf(6) < current.handled.mirror!.indexOf(7))
  assert.equal(await current.nextDueAt(store), null)
  await current.stop()
})

test('a service makes its consumers known before it records a fact', async () => {
  const { url } = await testDatabase()
  const service = await startService(url)
  const { facts } = await service.db.inInstallation((tx) =>
    tx.one(row({ facts: textList }), sql`select facts from known_consumers where name = 'webhooks'`)
  )
  assert.deepEqual(facts, PUBLIC_FACTS)
})

test('older code does not retry a fact that it does not know', async () => {
  const store = await aStore(db, { clockAt: START })
  let isBroken = true
  const [old, current] = [
    await aVersion({ points: KNOWN }),
    await aVersion({ points: { ...BOTH, fails: () => isBroken } })
  ]
  await current.start()
  await store.inStore((ctx) => record(ctx, novel(1, 7), known(2, 8)))
  await current.settle(store)
  isBroken = false
  await store.inStore(({ tx, storeId }) =>
    tx.run(sql`update stores set clock_at = ${START.add({ minutes: 1 })} where store_id = ${storeId}`)
  )
  await old.settle(store)
  assert.deepEqual(old.handled.points, [2])
  await current.settle(store)
  assert.deepEqual(current.handled.points, [1])
  await current.stop()
})

test('in a new store, facts that older code gives positions to reach the consumers that it does not know', async () => {
  const [old, current] = [
    await aVersion({ ledger: KNOWN }),
    await aVersion({ ledger: KNOWN, churn: KNOWN, loyalty: KNOWN })
  ]
  await old.start()
  await current.start()
  const store = await aStore(db)
  await store.inStore((ctx) => record(ctx, known(1, 7), known(2, 7)))
  await old.settle(store)
  await store.inStore((ctx) => record(ctx, known(3, 7)))
  await old.settle(store)
  await current.settle(store)
  assert.deepEqual([old.handled.ledger, current.handled.ledger], [[1, 2, 3], []])
  assert.deepEqual(
    [current.handled.churn, current.handled.loyalty],
    [
      [1, 2, 3],
      [1, 2, 3]
    ]
  )
  await current.stop()
})

test('facts that no consumer of any version receives hold up nobody', async () => {
  const store = await aStore(db)
  const [old, current] = [await aVersion({ search: KNOWN }), await aVersion({ search: KNOWN })]
  await current.start()
  await store.inStore((ctx) => record(ctx, novel(1, 7), known(2, 7)))
  await old.settle(store)
  assert.deepEqual(old.handled.search, [2])
  await current.stop()
})

test('facts that a newer version needs no more are handled by older code or skipped, and block no key', async () => {
  const store = await aStore(db, { clockAt: START })
  const old = await aVersion({ exports: { ...BOTH, fails: () => true } })
  const current = await aVersion({ exports: { ...KNOWN, dropped: ['test.novel'] } })
  await old.start()
  await store.inStore((ctx) => record(ctx, novel(1, 7), known(2, 7)))
  await old.settle(store)
  await current.start()
  await old.start()
  await store.inStore((ctx) => record(ctx, novel(3, 8), known(4, 8)))
  await current.settle(store)
  assert.deepEqual(current.handled.exports, [4])
  await store.inStore(({ tx, storeId }) =>
    tx.run(sql`update stores set clock_at = ${START.add({ minutes: 1 })} where store_id = ${storeId}`)
  )
  await current.settle(store)
  assert.deepEqual(current.handled.exports, [4, 2])
  const { left } = await store.inStore(({ tx, storeId }) =>
    tx.one(row({ left: int }), sql`select count(*) as left from fact_retries where store_id = ${storeId}`)
  )
  assert.equal(left, 0)
  await current.stop()
})
