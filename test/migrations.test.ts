// What `migrate` does to a database, and that migrations/schema.sql is the result on an empty one.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import pg from 'pg'
import { migrate } from '#kit/postgres'
import { majorVersion, SCHEMA_FILE, schemaText } from '../scripts/schema-text.ts'
import { onServer, testDatabase, urlOf } from './database.ts'

const migrated = await testDatabase()

async function connectedTo(url: string, t: TestContext): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  t.after(() => client.end())
  return client
}

/** An empty database with a version of the service: a folder of migrations to write into. */
async function anEmptyDatabase(t: TestContext) {
  const name = `test_${process.pid}_${randomBytes(4).toString('hex')}`
  await onServer(`create database ${name}`)
  const client = await connectedTo(urlOf(name), t)
  t.after(() => onServer(`drop database ${name} with (force)`))
  const aVersion = async (files: Record<string, string>) => {
    const folder = await mkdtemp(join(tmpdir(), 'perennial-migrations-'))
    t.after(() => rm(folder, { recursive: true, force: true }))
    await mkdir(join(folder, 'functions'))
    for (const [file, text] of Object.entries(files)) await writeFile(join(folder, file), text)
    const set = { name: 'test', directory: pathToFileURL(`${folder}/`) }
    return { folder, start: () => migrate(urlOf(name), [set]) }
  }
  const rows = async (query: string) => (await client.query({ text: query, rowMode: 'array' })).rows.flat()
  return { aVersion, rows, run: (query: string) => client.query(query) }
}

const PETS = 'create table pets (id bigint primary key, name text not null);'
const LOUD = `create or replace function loud(pet pets) returns text language sql as $$ select upper(pet.name) $$;`

test('migrations/schema.sql is the schema that the migrations create', async (t) => {
  const client = await connectedTo(migrated.url, t)
  const file = await readFile(SCHEMA_FILE, 'utf8')
  const version = await majorVersion(client)
  if (!file.includes(`on PostgreSQL ${version}.`))
    return t.skip(`this server is PostgreSQL ${version}; the file is not`)
  assert.equal(await schemaText(client), file, 'the schema has changed: run `npm run schema:generate`')
})

test('applies each migration once and in order, then the functions, even if two nodes start at once', async (t) => {
  const { aVersion, rows } = await anEmptyDatabase(t)
  const { start } = await aVersion({
    '0002-more.sql': `insert into pets values (1, 'Rex');`,
    '0001-pets.sql': PETS,
    'functions/whisper.sql': `create or replace function whisper(pet pets) returns text language sql as $$ select lower(loud(pet)) $$;`,
    'functions/loud.sql': LOUD
  })
  const [first, second] = await Promise.all([start(), start()])
  assert.deepEqual(
    [...first, ...second],
    ['0001-pets.sql', '0002-more.sql', 'functions/loud.sql', 'functions/whisper.sql']
  )
  assert.deepEqual(await rows('select loud(p), whisper(p) from pets p'), ['REX', 'rex'])
  assert.deepEqual(await start(), [])
})

test('replaces a function and its triggers when its statements change, not when a comment changes', async (t) => {
  const { aVersion, rows, run } = await anEmptyDatabase(t)
  const named = (name: string) => `
    create or replace function name_pet() returns trigger language plpgsql as $$ begin new.name := '${name}'; return new; end $$;
    create or replace trigger name_pet before insert on pets for each row execute function name_pet();`
  const before = await aVersion({ '0001-pets.sql': PETS, 'functions/name-pet.sql': named('Rex') })
  await before.start()
  await writeFile(join(before.folder, 'functions/name-pet.sql'), `-- Names pets.\n${named('Rex')}`)
  assert.deepEqual(await before.start(), [])

  const after = await aVersion({ '0001-pets.sql': PETS, 'functions/name-pet.sql': named('Tom') })
  assert.deepEqual(await after.start(), ['functions/name-pet.sql'])
  await run(`insert into pets values (1, '')`)
  assert.deepEqual(await rows('select name from pets'), ['Tom'])
})

test('creates a function again whose file was removed and then restored', async (t) => {
  const { aVersion, rows } = await anEmptyDatabase(t)
  const files = { '0001-pets.sql': PETS, '0002-quiet.sql': 'drop function if exists loud(pets);' }
  await (await aVersion({ '0001-pets.sql': PETS, 'functions/loud.sql': LOUD })).start()
  assert.deepEqual(await (await aVersion(files)).start(), ['0002-quiet.sql'])
  assert.deepEqual(await rows(`select to_regprocedure('loud(pets)') is null`), [true])
  assert.deepEqual(await (await aVersion({ ...files, 'functions/loud.sql': LOUD })).start(), ['functions/loud.sql'])
})

test('a failing migration is rolled back; the migrations before it stay', async (t) => {
  const { aVersion, rows } = await anEmptyDatabase(t)
  const failing = await aVersion({
    '0001-pets.sql': PETS,
    '0002-broken.sql': 'create table toys (id bigint); select 1 / 0;',
    'functions/loud.sql': LOUD
  })
  await assert.rejects(failing.start(), { message: 'Migration 0002-broken.sql failed: division by zero' })
  assert.deepEqual(await rows(`select to_regclass('pets') is null, to_regclass('toys') is null`), [false, true])
  await writeFile(join(failing.folder, '0002-broken.sql'), 'create table toys (id bigint);')
  assert.deepEqual(await failing.start(), ['0002-broken.sql', 'functions/loud.sql'])
})

test('refuses a migration that was changed after it was applied, except for its comments', async (t) => {
  const { aVersion } = await anEmptyDatabase(t)
  const { start, folder } = await aVersion({ '0001-pets.sql': PETS })
  await start()
  await writeFile(join(folder, '0001-pets.sql'), `-- Animals that live with people.\n\n${PETS}`)
  assert.deepEqual(await start(), [])
  await writeFile(join(folder, '0001-pets.sql'), PETS.replace('text', 'varchar'))
  await assert.rejects(start(), {
    message: /^This database applied a different text of 0001-pets\.sql than this version has/
  })
})

test('an older version runs on a newer schema that allows it, and does not replace its functions', async (t) => {
  const { aVersion, rows } = await anEmptyDatabase(t)
  const older = await aVersion({ '0001-pets.sql': PETS, 'functions/loud.sql': LOUD })
  await older.start()
  const newer = await aVersion({
    '0001-pets.sql': PETS,
    '0002-age.sql': '-- expand: code from 0001 can run on this schema.\nalter table pets add age integer;',
    'functions/loud.sql': LOUD.replace('upper(', 'initcap(')
  })
  await newer.start()
  assert.deepEqual(await older.start(), [])
  assert.deepEqual(await rows(`select loud((1, 'rex', 3))`), ['Rex'])
})

test('a version refuses a schema that a newer version made incompatible, or that an unrelated version migrated', async (t) => {
  const { aVersion } = await anEmptyDatabase(t)
  const age = '-- expand: code from 0001 can run on this schema.\nalter table pets add age integer;'
  const older = await aVersion({ '0001-pets.sql': PETS })
  const newer = await aVersion({ '0001-pets.sql': PETS, '0002-age.sql': age })
  const newest = await aVersion({
    '0001-pets.sql': PETS,
    '0002-age.sql': age,
    '0003-nameless.sql': '-- expand: code from 0002 can run on this schema.\nalter table pets drop name;'
  })
  await newest.start()
  assert.deepEqual(await newer.start(), [])
  await assert.rejects(older.start(), {
    message:
      'A newer version of Perennial migrated the database (0002-age.sql, 0003-nameless.sql), and this one cannot run on it'
  })
  const other = await aVersion({ '0001-pets.sql': PETS, '0002-age.sql': age, '0004-toys.sql': '' })
  await assert.rejects(other.start(), {
    message:
      'The database has migrations that this version does not have (0003-nameless.sql), and lacks migrations that it has ' +
      '(0004-toys.sql): it was migrated by a version that is not a later version of this one'
  })
})

test('refuses a database from before the baseline', async (t) => {
  const { aVersion, run } = await anEmptyDatabase(t)
  await run('create table schema_migrations (name text primary key, applied_at timestamptz not null default now())')
  await run(`insert into schema_migrations (name) values ('0001_stores.sql')`)
  const { start } = await aVersion({ '0001-pets.sql': PETS })
  await assert.rejects(start(), {
    message: /^This database was created by a version of Perennial from before the first/
  })
})
