import assert from 'node:assert/strict'
import { test } from 'node:test'
import { json, row, sql, text } from '#kit/postgres'
import { upsertCustomers } from '#members'
import { testDatabase } from '../../../test/database.ts'
import { aStore } from '../../../test/store-builder.ts'
import { moveTo } from '../../credits/credit-account.test-helper.ts'
import { refusedFor, testServer } from '../server.test-helper.ts'
import { at, joined, START } from './subscription.test-helper.ts'

const { db } = await testDatabase()
const { rest, app } = testServer(db)

/** A member since the last day of January, an hour ago. */
async function aMember(given: Parameters<typeof aStore>[1] = {}) {
  const store = await aStore(db, { clockAt: at(START), ...given })
  const { memberId, contract } = await joined(store)
  await moveTo(store, '2026-01-31T16:00:00Z')
  const key = await store.aKey()
  const id = `mem_${memberId}`
  const events = () =>
    store.inStore(({ tx, storeId }) =>
      tx.many(
        row({ type: text, data: json<any>() }),
        sql`select name as type, data::jsonb as data from facts
             where store_id = ${storeId} and ordering_key = ${`member:${memberId}`}
               and name like 'member.%' and name <> 'member.created' order by id`
      )
    )
  return {
    store,
    id,
    memberId,
    customerId: contract.customer!.id,
    key,
    events,
    read: async () => (await rest(`/members/${id}`, key)).json(),
    patch: (payload: unknown, headers: Record<string, string> = {}) =>
      app.inject({
        method: 'PATCH',
        url: `/v1/members/${id}`,
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
        payload: payload as object
      }),
    jobs: () =>
      store.inStore(({ tx, storeId }) =>
        tx.many(
          row({ kind: text, dedupeKey: text }),
          sql`select kind, dedupe_key from jobs where store_id = ${storeId} and kind = 'push-customer'`
        )
      )
  }
}

test('points are adjusted in their ledger with an event; the response is the fresh member', async () => {
  const { id, memberId, patch, read, events, jobs, customerId } = await aMember()
  const before = await read()
  const response = await patch({ loyalty_points: 120 })
  assert.equal(response.statusCode, 200)
  assert.deepEqual(response.json(), {
    ...before,
    data: { ...before.data, loyalty_points: 120, updated_at: '2026-01-31T16:00:00.000Z' }
  })
  assert.deepEqual(await read(), response.json())
  await patch({ loyalty_points: 20 })
  const customer = { id: `cust_${memberId}`, email: `c${customerId}@example.com` }
  assert.deepEqual(await events(), [
    {
      type: 'member.points_changed',
      data: {
        member_id: id,
        customer,
        points: { previous_balance: 0, new_balance: 120, change: 120 },
        reason: 'adjustment',
        order_id: null
      }
    },
    {
      type: 'member.points_changed',
      data: {
        member_id: id,
        customer,
        points: { previous_balance: 120, new_balance: 20, change: -100 },
        reason: 'adjustment',
        order_id: null
      }
    }
  ])
  assert.deepEqual(await jobs(), [])
})

test('a changed profile has an event with what changed and the whole member, and is to be pushed to the platform', async () => {
  const { memberId, patch, events, jobs, customerId } = await aMember()
  const response = await patch({
    email: 'Zoë@exämple.com',
    first_name: 'Zoë',
    last_name: null,
    birth_date: '1990-02-28'
  })
  assert.equal(response.statusCode, 200)
  const { data } = response.json()
  assert.deepEqual(
    [data.customer.email, data.customer.first_name, data.customer.last_name, data.birth_date, data.updated_at],
    ['Zoë@exämple.com', 'Zoë', null, '1990-02-28', '2026-01-31T16:00:00.000Z']
  )
  assert.deepEqual(await events(), [
    {
      type: 'member.updated',
      data: {
        member_id: `mem_${memberId}`,
        ...data,
        changes: {
          email: { from: `c${customerId}@example.com`, to: 'Zoë@exämple.com' },
          first_name: { from: 'Ada', to: 'Zoë' },
          last_name: { from: 'Adler', to: null },
          birth_date: { from: null, to: '1990-02-28' }
        }
      }
    }
  ])
  assert.deepEqual(await jobs(), [{ kind: 'push-customer', dedupeKey: String(memberId) }])
})

test('spaces around a name are dropped; joiners within it are kept', async () => {
  const { patch, events } = await aMember()
  const { customer } = (await patch({ first_name: ' Ada ', last_name: '\u3000Nasr\u200cin\u00a0' })).json().data
  assert.deepEqual([customer.first_name, customer.last_name], ['Ada', 'Nasr\u200cin'])
  assert.deepEqual(
    (await events()).map(({ data }) => data.changes),
    [{ last_name: { from: 'Adler', to: 'Nasr\u200cin' } }]
  )
})

test('an address that another customer of the store has, whatever its case: 400, and nothing of the body is done', async () => {
  const { store, patch, events, customerId } = await aMember()
  const other = await aMember()
  const reported = { id: '77', email: 'Bea@Example.com', firstName: null, lastName: null }
  await store.inStore((ctx) => upsertCustomers(ctx, [reported]))
  await other.store.inStore((ctx) => upsertCustomers(ctx, [{ ...reported, id: '78', email: 'cleo@example.com' }]))
  const response = await patch({ email: 'bea@example.COM', first_name: 'Eve', loyalty_points: 5 })
  assert.equal(response.statusCode, 400)
  const message = 'email is the address of another customer of the store'
  assert.deepEqual(refusedFor(response), { error: { code: 'invalid_request', message } })
  assert.deepEqual(await events(), [])
  assert.equal((await patch({ email: `C${customerId}@example.com` })).statusCode, 200)
  assert.equal((await patch({ email: 'cleo@example.com' })).statusCode, 200)
})

test('a birth date is ours alone: it can be cleared, and nothing is pushed', async () => {
  const { patch, events, jobs } = await aMember()
  assert.equal((await patch({ birth_date: '1990-02-28' })).json().data.birth_date, '1990-02-28')
  assert.equal((await patch({ birth_date: null })).json().data.birth_date, null)
  assert.deepEqual(
    (await events()).map(({ data }) => data.changes),
    [{ birth_date: { from: null, to: '1990-02-28' } }, { birth_date: { from: '1990-02-28', to: null } }]
  )
  assert.deepEqual(await jobs(), [])
})

test('a request that changes nothing records no event, and its response is the member', async () => {
  const { patch, read, events, jobs } = await aMember()
  const before = await read()
  const response = await patch({ loyalty_points: 0, first_name: 'Ada', birth_date: null })
  assert.equal(response.statusCode, 200)
  assert.deepEqual(response.json(), before)
  assert.deepEqual([await events(), await jobs()], [[], []])
})

test('a body that is not right: 400 naming the field and what it takes', async () => {
  const { patch, events } = await aMember()
  const points = 'loyalty_points must be an integer from 0 to 1000000000000'
  const email = 'email must be an e-mail address such as hanna.ito@example.com of at most 320 characters'
  const text = (field: string) =>
    `${field} must be a text of 1 to 200 characters that is not blank and has no control characters, or null for none`
  const day = 'birth_date must be a past day such as 1990-01-31, or null for none'
  const past = 'birth_date must be a day in the past, from 1900-01-01 on'
  for (const [body, message] of [
    [{}, 'The body must hold at least one of loyalty_points, email, first_name, last_name, birth_date'],
    [{ loyalty_points: -1 }, points],
    [{ loyalty_points: 1.5 }, points],
    [{ loyalty_points: '5' }, points],
    [{ loyalty_points: null }, points],
    [{ loyalty_points: 2 ** 53 }, points],
    ['{"loyalty_points":1e400}', points],
    [{ email: null }, email],
    [{ email: '' }, email],
    [{ email: 'ada' }, email],
    [{ email: 'ada@' }, email],
    [{ email: 'a@b@c' }, email],
    [{ email: 'a@b' }, email],
    [{ email: 'a@b.' }, email],
    [{ email: 'a@.b' }, email],
    [{ email: 'a b@c.example' }, email],
    [{ email: 'a\u0007@c.example' }, email],
    [{ email: `${'a'.repeat(315)}@b.example` }, email],
    [{ first_name: '' }, text('first_name')],
    [{ first_name: ' ' }, text('first_name')],
    [{ first_name: ' \u3000\u00a0' }, text('first_name')],
    [{ last_name: '\u200b\u200d\ufeff' }, text('last_name')],
    [{ last_name: '\u2060 \u3164' }, text('last_name')],
    [{ last_name: 'a\nb' }, text('last_name')],
    [{ last_name: 'x'.repeat(201) }, text('last_name')],
    [{ birth_date: '1990-02-30' }, day],
    [{ birth_date: '1990-2-3' }, day],
    [{ birth_date: '1990-01-31T00:00:00Z' }, day],
    [{ birth_date: 19900131 }, day],
    [{ birth_date: '1899-12-31' }, past],
    [{ birth_date: '2026-01-31' }, past],
    [{ birth_date: '0000-01-01' }, past],
    [
      { tier: 'VIP' },
      'tier is not a field here; this body accepts loyalty_points, email, first_name, last_name, birth_date'
    ],
    ['5', 'The body must be a JSON object']
  ] as const) {
    const response = await patch(body)
    assert.equal(response.statusCode, 400, JSON.stringify(body))
    assert.deepEqual(refusedFor(response), { error: { code: 'invalid_request', message } })
  }
  assert.deepEqual(await events(), [])
})

test('the day is over by the shop calendar: yesterday is a birth date, today is none', async () => {
  const { store, patch } = await aMember()
  // Half past nine in the evening of 31 January in New York, and February in UTC.
  await moveTo(store, '2026-02-01T02:30:00Z')
  assert.equal((await patch({ birth_date: '2026-01-31' })).statusCode, 400)
  assert.equal((await patch({ birth_date: '2026-01-30' })).statusCode, 200)
})

test('unknown members, those of another store and customers who are no members: 404', async () => {
  const { store, key } = await aMember()
  const other = await aMember()
  const reported = { id: '77', email: 'x@example.com', firstName: null, lastName: null }
  const customer = (await store.inStore((ctx) => upsertCustomers(ctx, [reported]))).get('77')!
  for (const id of ['mem_999999', 'cust_1', other.id, `mem_${customer.id}`, 'mem_99999999999999999999']) {
    for (const body of [{ loyalty_points: 5 }, { first_name: 'Eve' }]) {
      const response = await rest(`/members/${id}`, key, { method: 'PATCH', payload: body })
      assert.equal(response.statusCode, 404)
      assert.deepEqual(refusedFor(response, 'member_id'), {
        error: { code: 'not_found', message: `There is no member ${id}` }
      })
    }
  }
  assert.deepEqual(await other.events(), [])
})

test('the scope is write:members', async () => {
  const { store, id } = await aMember()
  const key = await store.aKey(['read:members', 'write:store_credits'])
  const response = await rest(`/members/${id}`, key, { method: 'PATCH', payload: { loyalty_points: 1 } })
  assert.deepEqual(response.json(), { error: { code: 'forbidden', message: 'This key lacks the scope write:members' } })
})

test('under one key the change happens once; another body under it is refused', async () => {
  const { patch, events } = await aMember()
  const key = { 'idempotency-key': 'k' }
  const responses = await Promise.all(Array.from({ length: 20 }, () => patch({ loyalty_points: 7 }, key)))
  assert.equal(new Set(responses.map(({ body }) => body)).size, 1)
  assert.equal(responses.filter(({ headers }) => headers['idempotent-replayed'] === 'true').length, 19)
  await patch({ loyalty_points: 9 })
  assert.equal((await patch({ loyalty_points: 7 }, key)).json().data.loyalty_points, 7)
  assert.equal((await patch({ loyalty_points: 8 }, key)).statusCode, 400)
  assert.equal((await events()).length, 2)
})

test('concurrent changes have events one after the other, each starting from the state after the one before', async () => {
  const { patch, events } = await aMember()
  await Promise.all(Array.from({ length: 20 }, (_, i) => patch({ loyalty_points: i + 1 })))
  let balance = 0
  for (const { data } of await events()) {
    assert.equal(data.points.previous_balance, balance)
    balance = data.points.new_balance
  }
})
