// Expand and contract (migrations/README.md): the code of an older commit must run on the schema that the current migrations create.
// migrations/compatible-commit.json names the commit, and those of its test files that are run.
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
import { type MigrationSet, migrate } from '#kit/postgres'
import { schemaText } from '../scripts/schema-text.ts'
import { MIGRATIONS } from '../src/app/migrations.ts'
import { type Applied, planMigration } from '../src/kit/postgres/migration-set.ts'
import { onServer, testDatabase, urlOf } from './database.ts'

const run = promisify(execFile)
const ROOT = fileURLToPath(new URL('..', import.meta.url))

/** `frozen`: the migrations of that commit are final. Until then, these tests are skipped after an edit. */
const { commit, tests, frozen } = JSON.parse(
  await readFile(new URL('../migrations/compatible-commit.json', import.meta.url), 'utf8')
) as { commit: string; tests: string[]; frozen: boolean }

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
  const unchanged = await changesSince().then(
    (plans) => plans.every(({ migrations, functions }) => migrations.length + functions.length === 0),
    () => false
  )
  return frozen || unchanged ? null : `the baselines are not frozen yet, and were changed since ${commit}`
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
