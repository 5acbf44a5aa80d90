import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { testDatabase } from '../../../test/database.ts'
import { Database, int, row, sql } from './index.ts'

const { db, url } = await testDatabase()
const NAME = 'pipeline-test'

test('connections that were lost are replaced one for one, also while statements are in flight', async () => {
  const lossy = new Database({ url, directConnections: 2, applicationName: NAME })
  const session = await db.session()
  await session.query('reset role')
  const backends = async () =>
    (await session.query('select pid from pg_stat_activity where application_name = $1', [NAME])).rows.length
  const one = () => lossy.direct.one(row({ one: int }), sql`select 1 as one`).catch(() => null)
  for (let round = 0; round < 20; round++) {
    await Promise.all(Array.from({ length: 6 }, one))
    // Each statement that fails is followed at once by another one, which opens a new connection.
    const busy = Array.from({ length: 10 }, async () => {
      for (let i = 0; i < 20; i++) await one()
    })
    await session.query('select pg_terminate_backend(pid) from pg_stat_activity where application_name = $1', [NAME])
    await Promise.all(busy)
  }
  await setTimeout(200)
  assert.ok((await backends()) <= 2, `${await backends()} connections`)
  await lossy.close()
  await setTimeout(200)
  assert.equal(await backends(), 0)
  await session.end()
})
