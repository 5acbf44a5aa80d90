import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '#kit/postgres'
import { testDatabase } from '../../../test/database.ts'
import { OPERATOR_TOKEN, startService } from '../../../test/service-builder.ts'

const { url } = await testDatabase()
const service = await startService(url)

test('all members are in the file once, in any number of parts, and no cell is a formula', async () => {
  const store = await service.aStore({ currency: 'EUR', timezone: 'Europe/Vienna' })
  const { customer } = await store.member('ada@example.com')
  await service.db.inStore(store.storeId, ({ tx, storeId }) =>
    tx.run(sql`
      insert into members (store_id, platform_customer_id, email, first_name, last_name, status, member_since, created_at, updated_at)
      select ${storeId}, n, 'person-' || n || '@example.com', '=1+1', 'A, "B"', 'cancelled', now(), now(), now()
        from generate_series(1, 2000) n`)
  )
  const read = async (query = '') => {
    const response = await fetch(`${service.url}/admin/api${store.at}/members/export${query}`, {
      headers: { authorization: `Bearer ${OPERATOR_TOKEN}` }
    })
    assert.equal(response.headers.get('content-type'), 'text/csv; charset=utf-8')
    return (await response.text()).trimEnd().split('\r\n')
  }
  const [header, ...rows] = await read()
  assert.match(header!, /^customer_id,email,first_name,/)
  assert.equal(rows.length, 2001)
  assert.equal(new Set(rows.map((row) => row.split(',')[0])).size, 2001)
  assert.match(rows[0]!, new RegExp(`^${customer.id},ada@example.com,,,active,VIP,VIP,,0,0,EUR,2026-01-31T15:00:00`))
  assert.match(rows.at(-1)!, /^2000,person-2000@example\.com,'=1\+1,"A, ""B""",cancelled,/)
  assert.equal((await read('?status=active')).length, 2)
  assert.equal((await read('?plan_id=plan_999')).length, 1)
})
