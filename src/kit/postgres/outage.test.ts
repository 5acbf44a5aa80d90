import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testDatabase } from '../../../test/database.ts'
import { Database, isOutage, sql } from './index.ts'

const { db, url } = await testDatabase()

const errorOf = (work: () => Promise<unknown>) =>
  work().then(
    () => assert.fail('It should have failed'),
    (err: Error) => err
  )

test('a lost connection, a closed pool, an unreachable server and an unknown database are outages', async () => {
  const lost = await errorOf(() =>
    db.inInstallation(async (tx) => {
      await tx.run(sql`reset role`)
      await tx.run(sql`select pg_terminate_backend(pg_backend_pid())`)
    })
  )
  assert.ok(isOutage(lost))
  const closed = new Database({ url })
  await closed.close()
  assert.ok(isOutage(await errorOf(() => closed.inInstallation(async () => 1))))
  for (const wrong of [url.replace(/:\d+\//, ':1/'), url.replace(/\/[^/]*$/, '/no_such_database')]) {
    const unreachable = new Database({ url: wrong })
    assert.ok(isOutage(await errorOf(() => unreachable.inInstallation(async () => 1))), wrong)
    await unreachable.close()
  }
})

test('an invalid statement, an invalid value and a bug are not outages', async () => {
  const statements = [sql`select ${'x'}::int`, sql`select 1 / 0`, sql`selec`, sql`select from no_such_table`]
  for (const statement of statements) {
    assert.equal(isOutage(await errorOf(() => db.inInstallation((tx) => tx.run(statement)))), false)
  }
  assert.equal(isOutage(new TypeError('x is not a function')), false)
  assert.equal(isOutage(Object.assign(new Error('odd'), { code: 'ERR_INVALID_ARG_TYPE' })), false)
  assert.equal(isOutage('text'), false)
})

test('what others raise inside a transaction, or a function with a code of its own, is no outage', async () => {
  const refused = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })
  const thrown = await errorOf(() => db.inInstallation(() => Promise.reject(refused)))
  assert.equal(thrown, refused)
  assert.equal(isOutage(thrown), false)
  const raised = sql`do $$ begin raise exception 'no' using errcode = '08006'; end $$`
  assert.equal(isOutage(await errorOf(() => db.inInstallation((tx) => tx.run(raised)))), false)
  const full = sql`do $$ begin raise exception 'no' using errcode = '53100'; end $$`
  assert.equal(isOutage(await errorOf(() => db.inInstallation((tx) => tx.run(full)))), true, 'a full disk')
})
