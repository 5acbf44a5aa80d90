// Statements that are sent without a wait for their answers: with the beginning of a transaction, in it, and with its end.
import assert from 'node:assert/strict'
import type { Socket } from 'node:net'
import { test } from 'node:test'
import pg from 'pg'
import { beforeDrop, testDatabase } from '../../../test/database.ts'
import { aStore } from '../../../test/store-builder.ts'
import { type Bound, int, openConnection, row, sql, type Tx, UnknownStore } from './index.ts'

const { db, url } = await testDatabase()
const owner = new pg.Client({ connectionString: url })
await owner.connect()
beforeDrop(() => owner.end())
// As everywhere but in tests.
await owner.query(
  `do $$ begin execute format('alter database %I set plan_cache_mode = auto', current_database()); end $$`
)
await owner.query(`
  create table pets (id integer primary key);
  create sequence tries;
  create function fails_at_first(code text) returns integer language plpgsql security definer as $$
    begin
      if nextval('tries') = 1 then raise exception 'at first' using errcode = code; end if;
      insert into pets (id) values (7);
      return 7;
    end $$;
  create table owners (pet integer references pets deferrable initially deferred);
  grant all on pets, owners to perennial_operator, perennial_store`)

const Counted = row({ n: int })
const insert = (id: number) => sql`insert into pets (id) values (${id})`
const count = (tx: Tx) => tx.one(Counted, sql`select count(*)::int as n from pets`)
const begin = () => owner.query('truncate pets, owners; alter sequence tries restart')
const pets = async () => (await owner.query('select id from pets order by id')).rows.map(({ id }) => id)

test('what is sent is carried out in order, and committed', async () => {
  await begin()
  const seen = await db.inInstallation(async (tx) => {
    tx.send(insert(1))
    tx.send(sql`update pets set id = id + 1`)
    const { n } = await count(tx)
    tx.send(insert(1))
    return n
  })
  assert.equal(seen, 1)
  assert.deepEqual(await pets(), [1, 2])
})

const AFTER: Record<string, (tx: Tx) => Promise<unknown>> = {
  'nothing follows it': async () => {},
  'others are sent after it': async (tx) => {
    tx.send(insert(2))
    tx.send(insert(3))
  },
  'a statement after it is awaited': count,
  'the work fails afterwards': async () => {
    throw new Error('of the work')
  }
}
for (const [name, after] of Object.entries(AFTER)) {
  test(`a sent statement that fails ends the transaction with its own error, and nothing is written: ${name}`, async () => {
    await begin()
    const failing = db.inInstallation(async (tx) => {
      tx.send(insert(1))
      tx.send(insert(1))
      await after(tx)
    })
    await assert.rejects(failing, { code: '23505' })
    assert.deepEqual(await pets(), [])
    // The connection goes on, and does not remember the failure.
    await db.inInstallation(async (tx) => tx.send(insert(1)))
    assert.deepEqual(await pets(), [1])
  })
}

test('where an awaited statement has failed first, its error is that of the transaction, not what those sent after it say', async () => {
  await begin()
  const failing = db.inInstallation(async (tx) => {
    tx.send(insert(1))
    const awaited = tx.run(insert(1))
    tx.send(insert(2))
    await awaited
  })
  await assert.rejects(failing, { code: '23505' })
  assert.deepEqual(await pets(), [])
})

test('work that fails by itself has its own error, and what it sent is not written', async () => {
  await begin()
  const failing = db.inInstallation(async (tx) => {
    tx.send(insert(1))
    throw new Error('of the work')
  })
  await assert.rejects(failing, { message: 'of the work' })
  assert.deepEqual(await pets(), [])
})

test('a transaction whose failed statement nobody minded is not reported as carried out', async () => {
  for (const after of [async () => {}, async (tx: Tx) => tx.send(insert(2))]) {
    await begin()
    const failing = db.inInstallation(async (tx) => {
      await tx.run(insert(1))
      await assert.rejects(tx.run(insert(1)), { code: '23505' })
      await after(tx)
    })
    await assert.rejects(failing, { message: /commit was a rollback/ })
    assert.deepEqual(await pets(), [])
  }
})

test('a statement that cannot be encoded ends the transaction: it is not committed without it', async () => {
  await begin()
  const round: Record<string, unknown> = {}
  round.self = round
  const failing = db.inInstallation(async (tx) => {
    tx.send(insert(1))
    tx.send(sql`select ${round}::json`)
  })
  await assert.rejects(failing, TypeError)
  assert.deepEqual(await pets(), [])
  await db.inInstallation(async (tx) => tx.send(insert(3)))
  assert.deepEqual(await pets(), [3])
})

test('the answers of what is sent are not read: none of them can fail what the server has committed', async () => {
  await begin()
  await db.inInstallation(async (tx) => {
    tx.send(insert(1))
    tx.send(sql`select 9007199254740993::bigint as beyond`)
  })
  assert.deepEqual(await pets(), [1])
})

test('a constraint that is checked at the commit fails the transaction with its error', async () => {
  await begin()
  const failing = db.inInstallation(async (tx) => {
    tx.send(insert(1))
    tx.send(sql`insert into owners (pet) values (2)`)
  })
  await assert.rejects(failing, { code: '23503' })
  assert.deepEqual(await pets(), [])
})

test('what is left of a transaction or of an attempt that is over can do nothing on its connection', async () => {
  await begin()
  const left: Tx[] = []
  await db.inInstallation(async (tx) => {
    left.push(tx)
    if (left.length === 1) throw Object.assign(new Error('A deadlock'), { code: '40P01' })
    assert.throws(() => left[0]!.send(insert(1)), /is over/)
    await assert.rejects(left[0]!.run(insert(1)), /is over/)
  })
  assert.equal(left.length, 2)
  assert.throws(() => left[1]!.send(insert(1)), /is over/)
  await assert.rejects(left[1]!.run(insert(1)), /is over/)
  assert.deepEqual(await pets(), [])
})

for (const code of ['40001', '40P01', '26000']) {
  test(`a transaction runs again when a sent statement has failed with ${code}, and is carried out once`, async () => {
    await begin()
    let runs = 0
    await db.inInstallation(async (tx) => {
      runs++
      tx.send(insert(runs))
      tx.send(sql`select fails_at_first(${code})`)
    })
    assert.equal(runs, 2)
    assert.deepEqual(await pets(), [2, 7])
  })
}

test('what is asked for with the beginning runs in the transaction, for its store alone, and again when that runs again', async () => {
  await begin()
  const [store] = await Promise.all([aStore(db), aStore(db)])
  let runs = 0
  const early = async ({ tx, storeId }: Bound) => {
    tx.send(insert(++runs))
    return tx.one(Counted, sql`select count(*) filter (where store_id <> ${storeId})::int as n from stores`)
  }
  const others = await db.inStoreByKeys(store!.storeId, early, async ({ tx, now }, { n }) => {
    assert.ok(now instanceof Temporal.Instant)
    tx.send(sql`select fails_at_first('40001')`)
    return n
  })
  assert.equal(others, 0)
  assert.equal(runs, 2)
  assert.deepEqual(await pets(), [2, 7])
})

test('an unknown store is unknown, whatever was asked for with the beginning, and nothing is written', async () => {
  await begin()
  const work = async () => assert.fail('There is no store')
  const awaited = async ({ tx }: Bound) => {
    tx.send(insert(1))
    await tx.run(insert(1))
  }
  await assert.rejects(db.inStoreByKeys(987_654, awaited, work), UnknownStore)
  const sent = async ({ tx }: Bound) => {
    tx.send(insert(1))
    tx.send(insert(1))
  }
  await assert.rejects(db.inStoreByKeys(987_654, sent, work), UnknownStore)
  assert.deepEqual(await pets(), [])
})

test('a transaction by keys plans a statement once, and what follows on its connection is planned as before', async () => {
  const { storeId } = await aStore(db)
  const list = (tx: Tx) => tx.many(Counted, sql`select id as n from pets where id = any(${[1]}::int[])`)
  const plans = (tx: Tx) =>
    tx.one(
      row({ kept: int, made: int }),
      sql`select generic_plans::int as kept, custom_plans::int as made from pg_prepared_statements
           where statement like 'select id as n from pets%'`
    )
  for (let i = 1; i <= 3; i++) {
    const used = await db.inStoreByKeys(
      storeId,
      ({ tx }) => list(tx),
      ({ tx }) => plans(tx)
    )
    assert.deepEqual(used, { kept: i, made: 0 })
  }
  const { mode } = await db.inStore(storeId, async ({ tx }) => ({
    mode: await tx.one(row({ n: int }), sql`select (current_setting('plan_cache_mode') = 'auto')::int as n`)
  }))
  assert.deepEqual(mode, { n: 1 })
})

test('statements of one turn are one write', async () => {
  const connection = await openConnection({ connectionString: url, pipeline: true } as never)
  const { stream } = (connection as unknown as { connection: { stream: Socket } }).connection
  let writes = 0
  for (const name of ['_write', '_writev'] as const) {
    const write = stream[name]!.bind(stream) as (...given: unknown[]) => void
    Object.assign(stream, {
      [name]: (...given: unknown[]) => {
        writes++
        write(...given)
      }
    })
  }
  const answers = await Promise.all(
    [1, 2, 3].map((n) => connection.query({ name: 'n', text: 'select $1::int as n', values: [n] }))
  )
  assert.deepEqual(
    answers.map(({ rows }) => rows[0].n),
    [1, 2, 3]
  )
  assert.equal(writes, 1)
  await connection.query('select 1')
  assert.equal(writes, 2)
  await connection.end()
})
