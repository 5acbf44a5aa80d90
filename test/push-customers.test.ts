// What PATCH of a member brings to the platform, over the sandbox's socket, and what the platform's own news do meanwhile.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { meetCustomers } from '#members'
import { testDatabase } from './database.ts'
import { aReceiver } from './receiver.ts'
import { startService } from './service-builder.ts'

const { url } = await testDatabase()
const service = await startService(url)

async function aMember(email = 'ada@example.com') {
  const store = await service.aStore()
  const receiver = await aReceiver()
  const endpoint = await service.admin('POST', `${store.at}/webhooks`, {
    url: receiver.url,
    events: ['member.updated']
  })
  receiver.secret = endpoint.secret
  const { customer } = await store.member(email)
  await store.advance({ by: 'PT1H' })
  const { body } = await service.get('/members', store.key)
  const id: string = body.data[0].id
  const member = async () => (await service.get(`/members/${id}`, store.key)).body.data
  const patch = async (payload: object) => {
    const response = await fetch(`${service.urls.public}/v1/members/${id}`, {
      method: 'PATCH',
      headers: { authorization: `Bearer ${store.key}`, 'content-type': 'application/json' },
      body: JSON.stringify(payload)
    })
    assert.equal(response.status, 200)
  }
  const onPlatform = async () => {
    const connector = await service.demoDeps.connectorOf(store.storeId)
    const found = await connector.customers([customer.id])
    assert.ok(found.ok)
    const { email, firstName, lastName } = found.value.get(customer.id)!
    return { email, firstName, lastName }
  }
  /** News of the customer as the platform's webhook brings it. */
  const news = (told: { email?: string; firstName?: string; lastName?: string; updatedAt: string }) =>
    service.db.inStore(store.storeId, (ctx) =>
      meetCustomers(ctx, [
        {
          id: customer.id,
          email: told.email ?? null,
          firstName: told.firstName ?? null,
          lastName: told.lastName ?? null,
          updatedAt: Temporal.Instant.from(told.updatedAt)
        }
      ])
    )
  const settle = () => service.deps.settle(store.storeId)
  const changes = () => receiver.heard.map(({ data }) => data.changes)
  return { store, customer, member, patch, onPlatform, news, settle, changes }
}

test('names and address are pushed; the platform has them, and its own message about it changes nothing', async () => {
  const { patch, settle, onPlatform, member, changes } = await aMember()
  await patch({ email: 'grace@example.com', first_name: 'Grace', last_name: 'Hopper', birth_date: '1990-01-31' })
  await settle()
  assert.deepEqual(await onPlatform(), { email: 'grace@example.com', firstName: 'Grace', lastName: 'Hopper' })
  const { customer, birth_date } = await member()
  assert.deepEqual([customer.email, customer.last_name, birth_date], ['grace@example.com', 'Hopper', '1990-01-31'])
  assert.equal(changes().length, 1)
  await patch({ last_name: null })
  await settle()
  assert.deepEqual(await onPlatform(), { email: 'grace@example.com', firstName: 'Grace', lastName: null })
  assert.equal((await member()).customer.last_name, null)
})

test('while a push waits the platform cannot put old values back, and other fields follow it', async () => {
  const { patch, news, settle, onPlatform, member } = await aMember()
  await patch({ email: 'grace@example.com' })
  await news({ email: 'ada@example.com', firstName: 'Augusta', updatedAt: '2026-01-31T16:00:00Z' })
  const { customer } = await member()
  assert.deepEqual([customer.email, customer.first_name], ['grace@example.com', 'Augusta'])
  await settle()
  assert.equal((await onPlatform()).email, 'grace@example.com')
  assert.equal((await member()).customer.email, 'grace@example.com')
})

test('old news that comes late, after the push, loses', async () => {
  const { patch, news, settle, member } = await aMember()
  await patch({ email: 'grace@example.com', first_name: 'Grace' })
  await settle()
  await news({ email: 'ada@example.com', firstName: 'Ada', updatedAt: '2026-01-31T15:30:00Z' })
  const { customer } = await member()
  assert.deepEqual([customer.email, customer.first_name], ['grace@example.com', 'Grace'])
  await news({ email: 'newer@example.com', updatedAt: '2026-01-31T17:00:00Z' })
  assert.equal((await member()).customer.email, 'newer@example.com')
})

for (const [why, email] of [
  ['it is another customer’s', 'Taken@example.com'],
  ['it is none in its eyes', 'ada@localhost']
] as const) {
  test(`an address that the platform refuses, since ${why}: the member follows the platform again, and it is told`, async () => {
    const { store, patch, settle, onPlatform, member, changes } = await aMember()
    await store.customer('taken@example.com')
    await patch({ email, first_name: 'Grace' })
    assert.equal((await member()).customer.email, email)
    await settle()
    const platform = await onPlatform()
    const { customer } = await member()
    assert.equal(platform.email, 'ada@example.com')
    assert.deepEqual([customer.email, customer.first_name], [platform.email, platform.firstName])
    assert.deepEqual(changes(), [
      { email: { from: 'ada@example.com', to: email }, first_name: { from: platform.firstName, to: 'Grace' } },
      { email: { from: email, to: 'ada@example.com' }, first_name: { from: 'Grace', to: platform.firstName } }
    ])
    assert.deepEqual((await service.admin('POST', '/doctor', { store: store.id })).findings, [])
  })
}

test('a change while the one before is being pushed is pushed as well', async () => {
  const { patch, settle, onPlatform, member } = await aMember()
  await patch({ first_name: 'One' })
  await Promise.all([settle(), patch({ first_name: 'Two' })])
  await settle()
  assert.equal((await onPlatform()).firstName, 'Two')
  assert.equal((await member()).customer.first_name, 'Two')
})
