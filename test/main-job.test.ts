import assert from 'node:assert/strict'
import { test } from 'node:test'
import { row, sql, text } from '#kit/postgres'
import { testDatabase } from './database.ts'
import { aReceiver } from './receiver.ts'
import { startService } from './service-builder.ts'

const { url } = await testDatabase()
const service = await startService(url)

const localDay = (iso: string) =>
  Temporal.Instant.from(iso).toZonedDateTimeISO('America/New_York').toPlainDate().toString()

async function attemptsOf(key: string) {
  const { body } = await service.get('/billing-attempts?limit=100', key)
  return body.data as any[]
}
const doctor = async () => (await service.admin('POST', '/doctor', {})).findings

test("a year from 31 January: billed on the shop's local days, with every webhook, and the API agrees", async () => {
  const store = await service.aStore()
  const receiver = await aReceiver()
  const endpoint = await service.admin('POST', `${store.at}/webhooks`, { url: receiver.url })
  receiver.secret = endpoint.secret
  await store.member('ada@example.com')

  assert.deepEqual(receiver.events(), ['member.created', 'subscription.created', 'subscription.activated'])
  const { body: members } = await service.get('/members?email=ADA@example.com', store.key)
  assert.deepEqual(members.meta, { total: 1, limit: 50, offset: 0, has_more: false })
  assert.equal(members.data[0].status, 'active')
  assert.equal(members.data[0].tier, 'VIP')
  assert.equal((await service.get(`/members/${members.data[0].id}`, store.key)).body.data.id, members.data[0].id)

  assert.deepEqual(await store.advance({ by: 'P1Y' }), {
    now: '2027-01-31T15:00:00.000Z',
    settled: true,
    problems: [],
    charges: { succeeded: 12, failed: 0, pending: 0 },
    undelivered: 0,
    alerts: []
  })
  const attempts = (await attemptsOf(store.key)).reverse()
  assert.deepEqual(
    attempts.map((a) => [localDay(a.date), a.status, a.cycle_index]),
    [
      ['2026-02-28', 'success', 2],
      ['2026-03-31', 'success', 3],
      ['2026-04-30', 'success', 4],
      ['2026-05-31', 'success', 5],
      ['2026-06-30', 'success', 6],
      ['2026-07-31', 'success', 7],
      ['2026-08-31', 'success', 8],
      ['2026-09-30', 'success', 9],
      ['2026-10-31', 'success', 10],
      ['2026-11-30', 'success', 11],
      ['2026-12-31', 'success', 12],
      ['2027-01-31', 'success', 13]
    ]
  )
  assert.deepEqual(attempts[0].payment_method, { type: 'card', last_four: '4242', brand: 'Visa' })
  assert.match(attempts[0].order.order_number, /^\d+$/)

  const { body: subscriptions } = await service.get('/subscriptions', store.key)
  assert.equal(localDay(subscriptions.data[0].next_billing_date), '2027-02-28')
  assert.equal(receiver.events().filter((e) => e === 'billing.success').length, 12)
  assert.equal(receiver.events().filter((e) => e === 'billing.pending').length, 12)
  assert.ok(receiver.received.every((h) => h.signed))
  assert.equal(new Set(receiver.received.map((h) => h.webhookId)).size, receiver.received.length)
  const [contract] = await contracts(store.storeId)
  assert.equal(localDay(contract!.nextBillingDate), '2027-02-28', 'the platform knows the next date too')
  assert.deepEqual(await doctor(), [])
})

async function contracts(storeId: number) {
  const connector = await service.deps.connectorOf(storeId)
  const subscriptions = await service.db.inStore(storeId, ({ tx }) =>
    tx.many(
      row({ platformContractId: text }),
      sql`select platform_contract_id from subscriptions where store_id = ${storeId}`
    )
  )
  const found = await connector.contracts.findMany(subscriptions.map((s) => s.platformContractId))
  assert.ok(found.ok)
  return [...found.value.values()].map((c) => ({
    status: c.status,
    nextBillingDate: c.nextBillingDate?.toString() ?? ''
  }))
}

test('every card outcome leads to one charge per cycle and the expected history', async (t) => {
  const store = await service.aStore({ clock: '2026-03-01T15:00:00Z' })
  const people: Record<string, { customer: { id: string }; contract_id: string }> = {}
  const outcomes = ['insufficient_funds', 'expired_card', '3ds', 'late', 'lost', 'duplicate']
  for (const outcome of outcomes) people[outcome] = await store.member(`${outcome}@example.com`)
  for (const outcome of outcomes) await store.card(people[outcome]!.customer.id, outcome)
  await store.advance({ by: 'P1M' })

  const of = async (outcome: string) => {
    const { body } = await service.get(`/subscriptions?customer_id=${people[outcome]!.customer.id}`, store.key)
    const attempts = (await attemptsOf(store.key)).filter((a) => a.subscription_id === body.data[0].id)
    return { subscription: body.data[0], attempts }
  }
  await t.test('a soft decline is retried and recovers', async () => {
    const { attempts } = await of('insufficient_funds')
    assert.deepEqual(
      [
        attempts[0].status,
        attempts[0].error.decline_code,
        attempts[0].retry_scheduled,
        attempts[0].retry_date,
        attempts[0].attempts_remaining
      ],
      ['failed', 'insufficient_funds', true, '2026-04-03T14:00:00.000Z', 4]
    )
    await store.card(people.insufficient_funds!.customer.id, 'success')
  })
  await t.test('a hard decline waits for a new payment method', async () => {
    const { attempts } = await of('expired_card')
    assert.deepEqual([attempts[0].status, attempts[0].retry_scheduled], ['failed', false])
  })
  await t.test('a challenge and a late answer stay pending under their key', async () => {
    assert.equal((await of('3ds')).attempts[0].status, 'pending')
    assert.equal((await of('late')).attempts[0].status, 'pending')
  })
  await t.test('a doubled message counts once', async () => {
    assert.deepEqual(
      (await of('duplicate')).attempts.map((a) => a.status),
      ['success']
    )
  })

  await store.advance({ by: 'P4D' })
  await t.test('after four days what was late or lost is settled, and the retry has gone through', async () => {
    assert.deepEqual(
      (await of('late')).attempts.map((a) => a.status),
      ['success']
    )
    assert.deepEqual(
      (await of('lost')).attempts.map((a) => a.status),
      ['success']
    )
    const { attempts, subscription } = await of('insufficient_funds')
    assert.deepEqual(
      attempts.map((a) => [a.attempt_number, a.status]),
      [
        [2, 'success'],
        [1, 'failed']
      ]
    )
    assert.equal(localDay(subscription.next_billing_date), '2026-05-01', 'the anchor stays')
  })
  await t.test('the books agree with the platform', async () => {
    assert.deepEqual(await doctor(), [])
  })
})

test("a delivery to a failing receiver is retried on the contract's schedule, and fails after the sixth try", async () => {
  const store = await service.aStore()
  const receiver = await aReceiver(() => 500)
  await service.admin('POST', `${store.at}/webhooks`, { url: receiver.url, events: ['member.created'] })
  await store.member('ada@example.com')
  assert.equal(receiver.received.length, 1)
  for (const [wait, tries] of [
    ['PT59S', 1],
    ['PT1S', 2],
    ['PT5M', 3],
    ['PT30M', 4],
    ['PT2H', 5],
    ['PT11H59M59S', 5],
    ['PT1S', 6],
    ['P10D', 6]
  ] as const) {
    await store.advance({ by: wait })
    assert.equal(receiver.received.length, tries, wait)
  }
  assert.equal(new Set(receiver.received.map((h) => h.webhookId)).size, 1)
})

test('a member cancels on the storefront: the proxy signs the request, and a day later the contract on the platform is cancelled', async () => {
  const store = await service.aStore()
  const { customer, contract_id } = await store.member('ada@example.com')
  const { createHmac } = await import('node:crypto')
  const proxied = async (query: Record<string, string>, secret = store.proxy_secret) => {
    const canonical = Object.entries(query)
      .map(([k, v]) => `${k}=${v}`)
      .sort()
      .join('')
    const signature = createHmac('sha256', secret).update(canonical).digest('hex')
    const response = await fetch(
      `${service.urls.public}/apps/svc-api/v1/membership/churn/${contract_id}/cancellation?${new URLSearchParams({ ...query, signature })}`,
      {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ reason: 'too_expensive' })
      }
    )
    return { status: response.status, body: (await response.json()) as any }
  }
  const timestamp = String(Math.floor(Date.now() / 1000))
  const query = { shop: store.domain, logged_in_customer_id: customer.id, path_prefix: '/apps/svc-api', timestamp }
  assert.equal((await proxied(query, 'another secret')).status, 401)
  assert.equal((await proxied({ ...query, logged_in_customer_id: '' })).status, 403)
  assert.equal((await proxied({ ...query, logged_in_customer_id: '1' })).status, 403)
  assert.equal((await proxied(query)).status, 200)
  await service.deps.settle(store.storeId)

  // Until then it can be taken back.
  assert.equal((await contracts(store.storeId))[0]!.status, 'paused')
  const { body } = await service.get('/subscriptions?status=cancelled', store.key)
  assert.deepEqual(
    [body.data[0].status, body.data[0].cancel_reason, body.data[0].next_billing_date],
    ['cancelled', 'too_expensive', null]
  )
  await store.advance({ by: 'P3M' })
  assert.equal((await contracts(store.storeId))[0]!.status, 'cancelled')
  assert.equal((await attemptsOf(store.key)).length, 0)
  assert.deepEqual(await doctor(), [])
})
