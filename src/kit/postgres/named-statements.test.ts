// Prepared statements when the schema changes: a migration by another node must not fail statements of this one.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { beforeDrop, testDatabase } from '../../../test/database.ts'
import { Database, int, isBusy, row, sql, TIME_LIMITS, text } from './index.ts'

const { url } = await testDatabase()
const owner = new pg.Client({ connectionString: url })
await owner.connect()
beforeDrop(() => owner.end())

const Pet = row({ id: int, name: text })
const listPets = () => sql`select * from pets order by id`
const addPet = (id: number) => sql`insert into pets (id, name) values (${id}, 'Rex') returning *`

/** A Database with new tables `pets` (one row) and `toys`. */
async function aDatabase(connections = 1) {
  await owner.query(`drop table if exists pets, toys;
    create table pets (id integer primary key, name text not null default 'Rex', born date);
    create table toys (id integer primary key);
    grant all on pets, toys to perennial_operator; insert into pets (id) values (1)`)
  const db = new Database({ url, directConnections: connections })
  beforeDrop(() => db.close())
  return db
}

const CHANGES = {
  'an added column': 'alter table pets add age integer',
  'a changed type': 'alter table pets alter id type bigint',
  'a dropped column': 'alter table pets drop born'
}

for (const [name, change] of Object.entries(CHANGES)) {
  test(`${name}: a transaction on an altered table is repeated once with its statements prepared again`, async () => {
    const db = await aDatabase()
    const pets = () => db.inInstallation((tx) => tx.many(Pet, listPets()))
    await pets()
    await owner.query(change)
    const { transactions } = db.stats
    assert.deepEqual(await pets(), [{ id: 1, name: 'Rex' }])
    assert.equal(db.stats.transactions - transactions, 2)
    assert.deepEqual(await pets(), [{ id: 1, name: 'Rex' }])
    assert.equal(db.stats.transactions - transactions, 3)
  })

  test(`${name}: concurrent direct statements on an altered table all return their rows`, async () => {
    const db = await aDatabase(2)
    const pets = () => Promise.all(Array.from({ length: 40 }, () => db.direct.many(Pet, listPets())))
    await pets()
    await owner.query(change)
    const found = await pets()
    assert.deepEqual(found, new Array(40).fill([{ id: 1, name: 'Rex' }]))
  })
}

test('direct statements that wait for the lock of a table, none of them prepared yet, are all busy', async () => {
  await aDatabase()
  const direct = { ...TIME_LIMITS.direct, lockMs: 300 }
  const db = new Database({ url, directConnections: 1, limits: { ...TIME_LIMITS, direct } })
  beforeDrop(() => db.close())
  await owner.query('begin; lock table pets in access exclusive mode')
  const ends = await Promise.allSettled(Array.from({ length: 6 }, () => db.direct.many(Pet, listPets())))
  await owner.query('commit')
  for (const end of ends) assert.ok(end.status === 'rejected' && isBusy(end.reason), JSON.stringify(end))
  assert.deepEqual(await db.direct.many(Pet, listPets()), [{ id: 1, name: 'Rex' }])
})

test('a transaction with several stale statements is repeated once and writes once', async () => {
  const db = await aDatabase()
  const work = (id: number) =>
    db.inInstallation(async (tx) => {
      await tx.run(sql`insert into toys (id) values (${id})`)
      await tx.one(Pet, addPet(id))
      await tx.many(Pet, listPets())
      return (await tx.many(Pet, sql`update pets set name = name where id = ${id} returning *`)).length
    })
  await work(2)
  await owner.query('alter table pets add age integer; alter table toys add pet_id integer')
  const { transactions } = db.stats
  assert.equal(await work(3), 1)
  assert.equal(db.stats.transactions - transactions, 2)
  const { rows } = await owner.query(
    'select (select count(*)::int from toys) as toys, (select count(*)::int from pets) as pets'
  )
  assert.deepEqual(rows, [{ toys: 2, pets: 3 }])
})

test('a transaction whose table is altered in the middle succeeds', async () => {
  const db = await aDatabase()
  await db.inInstallation((tx) => tx.many(Pet, listPets()))
  let runs = 0
  const found = await db.inInstallation(async (tx) => {
    runs++
    await tx.run(sql`insert into toys (id) values (1)`)
    if (runs === 1) await owner.query('alter table pets add age integer')
    return tx.many(Pet, listPets())
  })
  assert.deepEqual([found, runs], [[{ id: 1, name: 'Rex' }], 2])
})

test('deallocated statements are prepared again', async () => {
  const db = await aDatabase()
  const both = async () => [
    await db.inInstallation((tx) => tx.many(Pet, listPets())),
    await db.direct.many(Pet, listPets())
  ]
  await both()
  await db.inInstallation((tx) => tx.run(sql`deallocate all`))
  await db.direct.run(sql`deallocate all`)
  assert.deepEqual(await both(), [[{ id: 1, name: 'Rex' }], [{ id: 1, name: 'Rex' }]])
})

test('a transaction with a stale statement twice in a row fails with the reason, and the connection stays usable', async () => {
  const db = await aDatabase()
  let runs = 0
  const failing = db.inInstallation(async (tx) => {
    runs++
    // Rolling back to the savepoint releases the lock on the table, so that it can be altered between two uses.
    await tx.run(sql`savepoint before_reading`)
    await tx.many(Pet, listPets())
    await tx.run(sql`rollback to savepoint before_reading`)
    await owner.query(`alter table pets add age_${runs} integer`)
    await tx.many(Pet, listPets())
  })
  await assert.rejects(failing, { code: '0A000', routine: 'RevalidateCachedQuery' })
  assert.equal(runs, 2)
  const { transactions } = db.stats
  assert.equal((await db.inInstallation((tx) => tx.many(Pet, listPets()))).length, 1)
  assert.equal(db.stats.transactions - transactions, 1)
})

test('a direct statement that is always stale runs twice and then fails', async () => {
  const db = await aDatabase()
  await owner.query(`create sequence runs;
    create function gone() returns integer language plpgsql security definer as $$
      begin perform nextval('runs'); raise exception 'gone' using errcode = '26000'; end $$`)
  await assert.rejects(db.direct.run(sql`select gone()`), { code: '26000', message: 'gone' })
  assert.deepEqual((await owner.query('select last_value::int as runs from runs')).rows, [{ runs: 2 }])
  assert.equal((await db.direct.many(Pet, listPets())).length, 1)
})

test('an unsupported feature is not treated as a stale statement', async () => {
  const db = await aDatabase()
  const { transactions } = db.stats
  const failing = db.inInstallation((tx) => tx.run(sql`select count(*) over (order by id) from pets for update`))
  await assert.rejects(failing, { code: '0A000' })
  assert.equal(db.stats.transactions - transactions, 1)
})

test('after a change the server has one prepared statement per text', async () => {
  const db = await aDatabase()
  const count = () =>
    db.inInstallation(async (tx) => {
      await tx.many(Pet, listPets())
      return tx.one(row({ prepared: int }), sql`select count(*)::int as prepared from pg_prepared_statements`)
    })
  await count()
  await owner.query('alter table pets add age integer')
  assert.deepEqual(await count(), { prepared: 2 })
})
