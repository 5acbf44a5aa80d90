// Every route of the direct API with each of its fields wrong: the error names the field.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { upsertCustomers } from '#members'
import { testDatabase } from '../../../test/database.ts'
import { type Operation, operationsOf } from '../../../test/openapi.ts'
import { aStore } from '../../../test/store-builder.ts'
import { testServer } from '../server.test-helper.ts'
import { at, joined } from './subscription.test-helper.ts'

const { db } = await testDatabase()
const unlimited = { perMinute: 1_000_000, perDay: null }
const { app } = testServer(db, { budgets: { starter: unlimited, growth: unlimited, enterprise: unlimited } })
const { body: document } = await app.inject('/openapi.json')
const operations = operationsOf(JSON.parse(document))
// The dates of the examples are ahead of it.
const store = await aStore(db, { clockAt: Temporal.Instant.from('2026-11-20T12:00:00Z') })
const key = await store.aKey()

type Sent = { id?: string; query?: string; body?: unknown; headers?: Record<string, string> }

const NOBODY: Record<string, string> = {
  member_id: 'mem_987654321',
  customer_id: 'cust_987654321',
  subscription_id: 'sub_987654321',
  attempt_id: 'ba_987654321',
  endpoint_id: 'we_987654321',
  delivery_id: `wh_${'9'.repeat(32)}`
}

const pathParameter = ({ parameters }: Operation) => parameters.find((parameter) => parameter.in === 'path')?.name

async function send(operation: Operation, { id, query = '', body, headers = {} }: Sent) {
  const named = pathParameter(operation)
  const path = operation.path.replace(/\{\w+\}/, encodeURIComponent(id ?? NOBODY[named ?? ''] ?? ''))
  const payload = body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body)
  const response = await app.inject({
    method: operation.method as 'GET',
    url: `/v1${path}${query}`,
    headers: {
      authorization: `Bearer ${key}`,
      ...(payload !== undefined && { 'content-type': 'application/json' }),
      ...headers
    },
    payload
  })
  return { status: response.statusCode, error: response.json().error, response: response.json() }
}

/** What is refused, and that this field and no other is named, once more in the message. */
async function assertNames(operation: Operation, sent: Sent, status: number, field: string, code: string) {
  const got = await send(operation, sent)
  const what = `${operation.id} ${JSON.stringify(sent)}: ${JSON.stringify(got.response)}`
  assert.equal(got.status, status, what)
  assert.deepEqual(
    got.error.details?.map((detail: { field: string; code: string }) => [detail.field, detail.code]),
    [[field, code]],
    what
  )
  assert.ok(got.error.details[0].message.length > 5, what)
  assert.equal(operation.fits(status, got.response), true, `${what} as declared`)
}

/** A text that no schema of a parameter accepts. */
const badText = (schema: any) => (schema.maxLength ? 'x'.repeat(schema.maxLength + 1) : 'x')

/** A body that the operation accepts. */
const goodBody = ({ example }: Operation) => (example ?? {}) as Record<string, unknown>

for (const operation of operations) {
  const query = operation.parameters.filter((parameter) => parameter.in === 'query')
  const fields: Record<string, any> = operation.body?.properties ?? {}
  const required: string[] = operation.body?.required ?? []
  const isWrite = operation.method !== 'GET'

  test(`${operation.id}: an error names the parameter, field or header that is wrong`, async () => {
    const named = pathParameter(operation)
    if (named) {
      assert.ok(NOBODY[named], `the walk has no unknown ${named}`)
      for (const id of [NOBODY[named], 'nonsense', `${NOBODY[named]}9999999999999999`]) {
        await assertNames(
          operation,
          { id, body: operation.body ? goodBody(operation) : undefined },
          404,
          named,
          'not_found'
        )
      }
    }
    for (const { name, schema } of query) {
      await assertNames(operation, { query: `?${name}=${badText(schema)}` }, 400, name, 'invalid')
      await assertNames(operation, { query: `?${name}=1&${name}=2` }, 400, name, 'invalid')
      await assertNames(operation, { query: `?${name}=%00` }, 400, name, 'invalid')
    }
    const given = operation.body ? { body: goodBody(operation) } : {}
    await assertNames(operation, { ...given, query: '?nonsense=1' }, 400, 'nonsense', 'unknown')
    if (isWrite) {
      const headers = { 'idempotency-key': 'two words' }
      await assertNames(
        operation,
        { headers, body: operation.body ? goodBody(operation) : undefined },
        400,
        'Idempotency-Key',
        'invalid'
      )
    }
    if (!operation.body) return

    const body = goodBody(operation)
    for (const name of Object.keys(fields)) {
      await assertNames(operation, { body: { ...body, [name]: { wrong: true } } }, 400, name, 'invalid')
    }
    for (const name of required) {
      const { [name]: _, ...others } = body
      await assertNames(operation, { body: others }, 400, name, 'required')
    }
    await assertNames(operation, { body: { ...body, nonsense: 1 } }, 400, 'nonsense', 'unknown')
    for (const text of ['{"a":', '[]', '"text"', '{"a":"\\u0000"}', '{"a":1,"a":2}']) {
      await assertNames(operation, { body: text }, 400, 'body', 'invalid')
    }
    if (required.length > 0 || operation.body.minProperties) {
      await assertNames(operation, {}, 400, 'body', 'required')
    }
    await assertNames(
      operation,
      { body: '{}', headers: { 'content-type': 'text/plain' } },
      400,
      'Content-Type',
      'invalid'
    )
  })
}

test('several wrong fields are named together', async () => {
  const list = operations.find(({ id }) => id === 'listMembers')!
  const { error } = await send(list, { query: '?limit=0&offset=-1&nonsense=1' })
  assert.deepEqual(
    error.details.map(({ field, code }: { field: string; code: string }) => [field, code]),
    [
      ['limit', 'invalid'],
      ['offset', 'invalid'],
      ['nonsense', 'unknown']
    ]
  )
})

test('an error that is about no field has no details', async () => {
  const response = await app.inject({ url: '/v1/nonsense', headers: { authorization: `Bearer ${key}` } })
  assert.deepEqual([response.statusCode, 'details' in response.json().error], [404, false])
  const unauthorized = await app.inject({ url: '/v1/members' })
  assert.deepEqual([unauthorized.statusCode, 'details' in unauthorized.json().error], [401, false])
})

test('what a rule refuses is named too: dates, amounts, people, plans, addresses', async () => {
  const clocked = await aStore(db, { clockAt: at('2026-02-10T12:00:00Z') })
  const { memberId, subscriptionId } = await joined(clocked)
  const { memberId: other } = await joined(clocked)
  await clocked.inStore((ctx) =>
    upsertCustomers(ctx, [{ id: '77', email: 'bea@example.com', firstName: null, lastName: null }])
  )
  const itsKey = await clocked.aKey()
  const [member, subscription, credit] = [
    `/members/mem_${memberId}`,
    `/subscriptions/sub_${subscriptionId}`,
    '/store-credits'
  ]
  const customer = `cust_${memberId}`
  for (const [method, path, payload, field] of [
    ['PATCH', member, { birth_date: '2026-02-11' }, 'birth_date'],
    ['PATCH', member, { email: 'BEA@example.com' }, 'email'],
    ['PATCH', subscription, { next_billing_date: '2026-02-09' }, 'next_billing_date'],
    ['PATCH', subscription, { next_billing_date: '2027-06-01' }, 'next_billing_date'],
    ['PATCH', subscription, { price: 1.001 }, 'price'],
    ['PATCH', subscription, { plan_id: 'plan_987654321' }, 'plan_id'],
    ['PATCH', subscription, { plan_id: 'mem_1' }, 'plan_id'],
    ['POST', `${subscription}/resume`, { next_billing_date: '2026-02-09' }, 'next_billing_date'],
    ['POST', `${subscription}/gift`, { receiver: 'nobody' }, 'receiver'],
    ['POST', `${subscription}/gift`, { receiver: customer }, 'receiver'],
    ['POST', `${credit}/${customer}/add`, { amount: 0.001, reason: 'x' }, 'amount'],
    ['POST', `${credit}/${customer}/add`, { amount: 1, reason: 'x', expires_at: '2026-02-09' }, 'expires_at'],
    ['POST', `${credit}/cust_${other}/deduct`, { amount: 1, reason: 'x' }, 'amount'],
    ['POST', '/webhook-endpoints', { url: 'https://10.0.0.1/' }, 'url'],
    ['POST', '/webhook-endpoints', { url: 'https://93.184.216.34/', events: ['billing.unknown'] }, 'events'],
    ['GET', '/events?since=900', undefined, 'since']
  ] as const) {
    const response = await app.inject({
      method,
      url: `/v1${path}`,
      headers: { authorization: `Bearer ${itsKey}` },
      ...(payload && { payload })
    })
    const { error } = response.json()
    assert.deepEqual([response.statusCode, error?.details?.[0].field], [400, field], `${path} ${response.body}`)
    assert.ok(error.message.startsWith(`${field} `), error.message)
  }
})
