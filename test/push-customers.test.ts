// A PATCH of a member is pushed to the platform, while the platform sends its own changes. With the sandbox over its socket.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { listProfilesToPush, updateMember, upsertCustomers } from '#members'
import type { Connector, CustomerChange } from '#platform'
import { pushCustomers } from '../src/members/push-customers.ts'
import { withCalls } from './connectors.ts'
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
  const connector = await service.deps.connectorOf(store.storeId)
  /** A change on the platform whose message has not arrived yet. */
  const changeOnPlatform = async (change: Omit<CustomerChange, 'id'>, id = customer.id) => {
    const [changed] = await connector.customers.update([{ id, ...change }])
    assert.ok(changed!.ok)
  }
  const onPlatform = async () => {
    const found = await connector.customers.findMany([customer.id])
    assert.ok(found.ok)
    const { email, firstName, lastName } = found.value.get(customer.id)!
    return { email, firstName, lastName }
  }
  /** A customer update as the platform's webhook delivers it. */
  const customerUpdate = (recorded: { email?: string; firstName?: string; lastName?: string; updatedAt: string }) =>
    service.db.inStore(store.storeId, (ctx) =>
      upsertCustomers(ctx, [
        {
          id: customer.id,
          email: recorded.email ?? null,
          firstName: recorded.firstName ?? null,
          lastName: recorded.lastName ?? null,
          updatedAt: Temporal.Instant.from(recorded.updatedAt)
        }
      ])
    )
  const settle = () => service.deps.settle(store.storeId)
  const changes = () => receiver.received.map(({ data }) => data.changes)
  return {
    store,
    customer,
    memberId: Number(id.slice('mem_'.length)),
    connector,
    member,
    patch,
    changeOnPlatform,
    onPlatform,
    customerUpdate,
    settle,
    changes
  }
}

test('names and address are pushed to the platform, and its message about them changes nothing', async () => {
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

test('while a push waits, a message cannot restore old values, and other fields are updated', async () => {
  const { patch, customerUpdate, settle, onPlatform, member } = await aMember()
  await patch({ email: 'grace@example.com' })
  await customerUpdate({ email: 'ada@example.com', firstName: 'Augusta', updatedAt: '2026-01-31T16:00:00Z' })
  const { customer } = await member()
  assert.deepEqual([customer.email, customer.first_name], ['grace@example.com', 'Augusta'])
  await settle()
  assert.equal((await onPlatform()).email, 'grace@example.com')
  assert.equal((await member()).customer.email, 'grace@example.com')
})

test('an older message that arrives after the push is ignored', async () => {
  const { patch, customerUpdate, settle, member } = await aMember()
  await patch({ email: 'grace@example.com', first_name: 'Grace' })
  await settle()
  await customerUpdate({ email: 'ada@example.com', firstName: 'Ada', updatedAt: '2026-01-31T15:30:00Z' })
  const { customer } = await member()
  assert.deepEqual([customer.email, customer.first_name], ['grace@example.com', 'Grace'])
  await customerUpdate({ email: 'newer@example.com', updatedAt: '2026-01-31T17:00:00Z' })
  assert.equal((await member()).customer.email, 'newer@example.com')
})

/** An address that another customer of the platform has, which is unknown here. */
async function aTakenAddress({ store, changeOnPlatform }: Awaited<ReturnType<typeof aMember>>) {
  const { id } = await store.customer('bea@example.com')
  await changeOnPlatform({ email: 'taken@example.com' }, id)
  return 'Taken@example.com'
}

test('an address that the platform refuses is reverted with an event; the names are accepted', async () => {
  const member = await aMember()
  const email = await aTakenAddress(member)
  await member.patch({ email, first_name: 'Grace' })
  assert.equal((await member.member()).customer.email, email)
  await member.settle()
  assert.deepEqual(await member.onPlatform(), { email: 'ada@example.com', firstName: 'Grace', lastName: null })
  const { customer } = await member.member()
  assert.deepEqual([customer.email, customer.first_name], ['ada@example.com', 'Grace'])
  assert.deepEqual(member.changes(), [
    { email: { from: 'ada@example.com', to: email }, first_name: { from: null, to: 'Grace' } },
    { email: { from: email, to: 'ada@example.com' } }
  ])
  await member.store.soundBooks()
})

test("after a refused address the member has the platform's values, and a long name is truncated", async () => {
  const member = await aMember()
  await member.changeOnPlatform({ lastName: 'é'.repeat(255) })
  await member.patch({ email: await aTakenAddress(member) })
  await member.settle()
  const { customer } = await member.member()
  assert.deepEqual([customer.email, customer.last_name], ['ada@example.com', 'é'.repeat(200)])
  await member.store.soundBooks()
})

test('a member whose response cannot be stored does not affect the others of its batch; its job is retried', async () => {
  const { store, memberId, connector, patch } = await aMember()
  await store.member('bea@example.com')
  await patch({ first_name: 'Grace' })
  await service.db.inStore(store.storeId, (ctx) => updateMember(ctx, memberId + 1, { firstName: 'Bea' }))
  const odd = withCalls(connector, {
    customers: {
      update: async (changes) =>
        (await connector.customers.update(changes)).map((result) =>
          result.ok && result.value.firstName === 'Grace'
            ? { ok: true, value: { ...result.value, lastName: '\0' } }
            : result
        )
    }
  })
  const jobs = [memberId, memberId + 1].map((memberId) => ({
    input: { memberId },
    attempts: 1,
    renewLease: async () => {}
  }))
  const deps = { db: service.db, connectorOf: async () => odd }
  const outcomes = await pushCustomers(deps, store.storeId, jobs)
  assert.deepEqual(
    outcomes.map(({ done }) => done),
    [false, true]
  )
  const pending = await service.db.inStore(store.storeId, (ctx) => listProfilesToPush(ctx, [memberId, memberId + 1]))
  assert.deepEqual(
    pending.map(({ memberId, changed }) => [memberId, changed]),
    [[memberId, { firstName: 'Grace' }]]
  )
})

test('a change during the push of an earlier one is pushed too', async () => {
  const { patch, settle, onPlatform, member } = await aMember()
  await patch({ first_name: 'One' })
  await Promise.all([settle(), patch({ first_name: 'Two' })])
  await settle()
  assert.equal((await onPlatform()).firstName, 'Two')
  assert.equal((await member()).customer.first_name, 'Two')
})

test('a message that arrives while a refused change is looked up is not undone: the job is retried and then agrees', async () => {
  const member = await aMember()
  const { store, memberId, connector, changeOnPlatform, customerUpdate } = member
  await member.patch({ email: await aTakenAddress(member) })
  // The data that was read is older than a change on the platform, whose message arrives before the data is stored.
  const overtaken = withCalls(connector, {
    customers: {
      findMany: async (ids) => {
        const read = await connector.customers.findMany(ids)
        await changeOnPlatform({ email: 'newer@example.com', lastName: 'Lovelace' })
        await customerUpdate({ email: 'newer@example.com', lastName: 'Lovelace', updatedAt: '2026-01-31T16:00:00Z' })
        return read
      }
    }
  })
  const push = (connector: Connector) =>
    pushCustomers({ db: service.db, connectorOf: async () => connector }, store.storeId, [
      { input: { memberId }, attempts: 1, renewLease: async () => {} }
    ])
  const [first] = await push(overtaken)
  assert.equal(first!.done, false)
  assert.equal((await member.member()).customer.last_name, 'Lovelace')
  assert.deepEqual(await push(connector), [{ done: true }])
  const { customer } = await member.member()
  assert.deepEqual([customer.email, customer.last_name], ['newer@example.com', 'Lovelace'])
})
