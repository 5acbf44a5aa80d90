// An erasure and what others have of the person: the platform's tags and metafields. With the sandbox over its socket.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Ctx, json, row, sql, text } from '#kit/postgres'
import type { Connector } from '#platform'
import { receiveCompliance } from '#privacy'
import { createTagEngine } from '../src/mirror/tags/tag-engine.ts'
import { beginErasure } from '../src/privacy/begin-erasure.ts'
import { deleteElsewhere } from '../src/privacy/delete-elsewhere.ts'
import { lockDueRequest } from '../src/privacy/queries.ts'
import { commandLine } from './command-line.ts'
import { withCalls } from './connectors.ts'
import { testDatabase } from './database.ts'
import { startService } from './service-builder.ts'
import { testVault } from './store-builder.ts'
import { tracesInDatabase } from './traces.ts'

const { url } = await testDatabase()
const service = await startService(url)
const { db, sandbox } = service
const { json: ask } = commandLine(service)

const VIP = 'SVC: VIP: Active'
const BIRTHDAY = '1990-01-31'

/** A store whose only member has a tag and metafields by us. */
async function aMember(name: string) {
  const store = await service.aStore()
  const { storeId, at } = store
  const admin = (method: string, path: string, body?: unknown) => service.admin(method, `${at}${path}`, body)
  const inStore = <T>(work: (ctx: Ctx) => Promise<T>) => db.inStore(storeId, work)
  const settle = () => service.deps.settle(storeId)
  const email = `${name}@example.com`
  const { customer } = await store.member(email)
  await settle()
  const [member] = (await service.get('/members', store.key)).body.data
  await service.patch(`/members/${member.id}`, store.key, { birth_date: BIRTHDAY })
  await settle()
  const known = await service.deps.connectorOf(storeId)
  /** What the platform has of them, whoever asks. */
  const onPlatform = async () => {
    const found = await service.sandboxDb.direct.one(
      row({ tags: json<string[]>(), metafields: json<string[]>() }),
      sql`
      select to_jsonb(array(select unnest(tags) from sandbox.customers
                             where store_id = ${storeId} and id = ${customer.id}::bigint)) as tags,
             (select coalesce(jsonb_agg(key order by key), '[]') from sandbox.metafields
               where store_id = ${storeId} and owner_type = 'Customer' and owner_id = ${customer.id}::bigint) as metafields`
    )
    return found
  }
  const erase = (who = email) =>
    admin('POST', '/privacy', { topic: 'customers/redact', customer: who, end_subscriptions: true })
  const request = async (id: string) => ask('privacy', 'show', id, '--store', store.domain)
  const alerts = async () =>
    (await admin('GET', '/alerts')).data.filter(({ kind }: { kind: string }) => kind.startsWith('erasure'))
  /** The limit of the request is over so much later. */
  const hasLeft = (minutes: number) =>
    inStore(({ tx, now }) =>
      tx.run(sql`
        update privacy_requests set received_at = ${now.subtract({ hours: 72 }).add({ minutes })}
         where store_id = ${storeId} and done_at is null`)
    )
  const before = await onPlatform()
  assert.deepEqual(before.tags, [VIP])
  assert.ok(before.metafields.length > 1)
  return { store, storeId, admin, inStore, settle, email, customer, known, onPlatform, erase, request, alerts, hasLeft }
}

const tracesOf = async ({ email, customer }: Awaited<ReturnType<typeof aMember>>) =>
  Object.keys(await tracesInDatabase(url, { words: [email, BIRTHDAY], phone: '0000000000000', numbers: [customer.id] }))
const NOTHING = { tags: [], metafields: [] }

test('an erasure is not done while the platform refuses the token, although everything here is erased; it is when it takes one', async () => {
  const her = await aMember('agnes.agate')
  const { store, storeId, erase, request, onPlatform, alerts } = her
  await sandbox.controls.install({ storeId, accessToken: 'another-token' })
  const { id } = await erase()
  await store.advance({ by: 'PT1H' })
  const waiting = await request(id)
  assert.deepEqual(
    [waiting.status, waiting.reason],
    [
      'checking',
      `The platform still has the tags "${VIP}" and the metafields of the customer: The platform answered 401 to the access token`
    ]
  )
  assert.deepEqual((await onPlatform()).tags, [VIP])
  // Only the number is left, without which nothing could be deleted there.
  assert.deepEqual(await tracesOf(her), ['privacy_requests'])
  assert.deepEqual(
    await tracesInDatabase(url, { words: [her.email, BIRTHDAY], phone: '0000000000000', numbers: [] }),
    {}
  )
  const [alert, ...more] = await alerts()
  assert.deepEqual([alert.kind, more], ['erasure_waits', []])
  assert.match(alert.message, new RegExp(`for ${id},.*answered 401.* until 2026-02-03T15:.*connect the store again`))

  await store.advance({ by: 'PT1H' })
  assert.equal((await alerts()).length, 1)
  await sandbox.controls.install({ storeId, accessToken: store.platform_token })
  await store.advance({ by: 'PT20M' })
  const { status, reason } = await request(id)
  assert.deepEqual([status, reason], ['done', null])
  assert.deepEqual(await onPlatform(), NOTHING)
  assert.deepEqual(await tracesOf(her), [])
  await store.advance({ by: 'PT1H' })
  assert.deepEqual(await onPlatform(), NOTHING)
  assert.equal((await alerts()).length, 1)
})

for (const [what, without, left] of [
  ['change customers', ['write_customers'], /^The platform still has the tags .* and the metafields of the customer: /],
  ['read customers', ['write_customers', 'read_customers'], /^The platform still has the tags .* and the metafields/]
] as const)
  test(`an erasure waits for the access scope to ${what}`, async () => {
    const { store, admin, erase, request, onPlatform } = await aMember(`berta.${without.length}.beryl`)
    await admin('POST', '/sandbox/access', { without })
    const { id } = await erase()
    await store.advance({ by: 'PT1H' })
    const waiting = await request(id)
    assert.equal(waiting.status, 'checking')
    assert.match(waiting.reason, left)
    await admin('POST', '/sandbox/access', { without: [] })
    await store.advance({ by: 'PT20M' })
    assert.equal((await request(id)).status, 'done')
    assert.deepEqual(await onPlatform(), NOTHING)
  })

test('an erasure does not wait for ever: then it says what is left, which another one deletes when the store is connected again', async () => {
  const her = await aMember('clara.citrine')
  const { store, storeId, admin, erase, request, onPlatform, alerts, customer, hasLeft } = her
  await service.admin('POST', `${store.at}/disconnect`, {})
  await sandbox.controls.install({ storeId, accessToken: store.platform_token })
  const { id } = await erase()
  await store.advance({ by: 'PT1H' })
  const left = `The platform still has the tags "${VIP}" and the metafields of the customer: the store is disconnected from it`
  assert.deepEqual([(await request(id)).status, (await request(id)).reason], ['checking', left])
  await hasLeft(25)
  await store.advance({ by: 'PT20M' })
  assert.equal((await request(id)).status, 'checking')
  await store.advance({ by: 'PT15M' })
  const ended = await request(id)
  assert.deepEqual([ended.status, ended.reason], ['done', left])
  assert.ok(ended.done_at)
  const [alert, waited, ...more] = await alerts()
  assert.deepEqual([alert.kind, waited.kind, more], ['erasure_incomplete', 'erasure_waits', []])
  assert.match(
    alert.message,
    new RegExp(`^${id} has ended after 72 hours\\..*but: .*"${VIP}".*disconnected.*perennial privacy run --erase`)
  )
  assert.deepEqual(await tracesOf(her), [], 'a request that is done knows nobody')

  await admin('POST', '/connect', { access_token: store.platform_token })
  await store.advance({ by: 'PT1H' })
  assert.deepEqual((await onPlatform()).tags, [VIP], 'nobody knows here any more whose it is')
  const again = await erase(customer.id)
  await store.advance({ by: 'PT1H' })
  const done = await request(again.id)
  assert.deepEqual([done.status, done.reason], ['done', null])
  assert.deepEqual(await onPlatform(), NOTHING)
  assert.deepEqual(await tracesOf(her), [])
})

test('an erasure does not wait for a customer whom the platform does not have any more', async () => {
  const { store, storeId, erase, request, customer, alerts } = await aMember('dora.diamond')
  await sandbox.controls.deleteCustomer({ storeId, customerId: customer.id })
  const { id } = await erase()
  await store.advance({ by: 'PT1H' })
  const { status, reason } = await request(id)
  assert.deepEqual([status, reason, await alerts()], ['done', null, []])
})

for (const [what, refusal, why] of [
  ['refuses', { kind: 'rejected', message: 'Customer agnes is locked' }, 'it refuses to delete that'],
  [
    'is not reached',
    { kind: 'unavailable', message: 'The platform answered 503', code: '503' },
    'it was not reached (503)'
  ]
] as const)
  test(`what the platform ${what} to delete is named, and not the customer`, async () => {
    const { store, storeId, known } = await aMember(`ella.${refusal.kind}`)
    const other = await store.customer('else@example.com')
    const { id } = await db.inStore(storeId, ({ tx }) =>
      tx.one(
        row({ id: text }),
        sql`select platform_customer_id as id from members where store_id = ${storeId} and email like 'ella%'`
      )
    )
    const removed: string[] = []
    const connector = withCalls(known, {
      tags: {
        async remove(kind: 'customer' | 'order', id: string, tags: string[]) {
          removed.push(id)
          return id === other.id ? known.tags.remove(kind, id, tags) : { ok: false as const, failure: refusal }
        }
      }
    })
    const person = {
      memberIds: [],
      customerIds: [id, other.id],
      subscriptionIds: [],
      orderNumbers: [],
      emails: [],
      phones: [],
      names: []
    }
    const asked = { customerId: null, memberId: null, email: null, phone: null, orderNumbers: [] }
    const left = await deleteElsewhere({ db, vault: testVault, connectorOrNull: async () => connector }, storeId, {
      asked,
      person,
      tags: [VIP]
    })
    assert.equal(left, `The platform still has the tags "${VIP}" of the customer: ${why}`)
    // One who is refused keeps no other.
    assert.deepEqual(removed.sort(), [id, other.id].sort())
  })

test('while an erasure waits for the platform to make a contract, nothing is taken back there', async () => {
  const { store, storeId, inStore, erase, request, onPlatform, customer, settle } = await aMember('flora.fluorite')
  const before = await onPlatform()
  await inStore(({ tx, now }) =>
    tx.run(sql`
      insert into subscription_creations (store_id, create_key, idempotency_key, fingerprint, platform_customer_id, actor,
        requested_at, created_at)
      values (${storeId}, 'under way', 'k', '\\x00', ${customer.id}, 'merchant', ${now}, ${now})`)
  )
  const { id } = await erase()
  await settle()
  const waiting = await request(id)
  assert.deepEqual([waiting.status, waiting.reason], ['waiting', 'A contract is being made at the platform'])
  assert.deepEqual(await onPlatform(), before)
  await inStore(({ tx, now }) =>
    tx.run(sql`update subscription_creations set answered_at = ${now} where store_id = ${storeId}`)
  )
  await store.advance({ by: 'PT1H' })
  assert.equal((await request(id)).status, 'done')
  assert.deepEqual(await onPlatform(), NOTHING)
})

test('what was on its way to the platform when the erasure began is taken back once more', async () => {
  const { store, erase, request, onPlatform, known, customer, settle } = await aMember('greta.garnet')
  const { id } = await erase()
  await settle()
  assert.equal((await request(id)).status, 'checking')
  assert.deepEqual(await onPlatform(), NOTHING)
  assert.ok((await known.tags.add('customer', customer.id, [VIP])).ok)
  const set = await known.metafields.set([
    {
      owner: 'customer',
      ownerId: customer.id,
      key: 'svc_member_details',
      type: 'json',
      value: '{}',
      seenDigest: null
    }
  ])
  assert.ok(set.ok, JSON.stringify(set))
  await settle()
  await store.advance({ by: 'PT1H' })
  assert.equal((await request(id)).status, 'done')
  assert.deepEqual(await onPlatform(), NOTHING)
})

test('a tag that was about to be added when the erasure began is not added any more', async () => {
  const { store, storeId, admin, inStore, onPlatform, known, customer, email, settle } = await aMember('hilda.howlite')
  // It was never there, and is not known here as ours.
  assert.ok((await known.tags.remove('customer', customer.id, [VIP])).ok)
  await settle()
  await inStore(async ({ tx, now }) => {
    await tx.run(sql`delete from known_tags where store_id = ${storeId}`)
    await tx.run(sql`
      update tag_owners set due_at = ${now}, version = version + 1 where store_id = ${storeId} and kind = 'customer'`)
  })
  assert.ok((await known.tags.remove('customer', customer.id, [VIP])).ok)
  const reading = Promise.withResolvers<void>()
  const isRead = Promise.withResolvers<void>()
  const added: string[][] = []
  const engine = createTagEngine({
    db,
    leaseOwner: 1,
    patience: { slowMs: 10, comeBackMs: 20 },
    connectorOf: async () =>
      withCalls(known, {
        tags: {
          async findMany(...asked: Parameters<Connector['tags']['findMany']>) {
            const found = await known.tags.findMany(...asked)
            isRead.resolve()
            await reading.promise
            return found
          },
          async add(...asked: Parameters<Connector['tags']['add']>) {
            added.push(asked[2])
            return known.tags.add(...asked)
          }
        }
      })
  })
  assert.equal(await engine.runOnce(storeId), 1)
  await isRead.promise
  // Its beginning is committed, and no consumer has read that yet.
  await inStore((ctx) => receiveCompliance(ctx, 'customers/redact', { customer: { id: Number(customer.id), email } }))
  await inStore(async (ctx) => assert.equal(await beginErasure(ctx, (await lockDueRequest(ctx))!), null))
  reading.resolve()
  // One that is to end begins no write.
  for (let i = 0; i < 20; i++) await engine.runOnce(storeId)
  await engine.endUnderWay?.(storeId)
  assert.deepEqual(added, [])
  await store.advance({ by: 'PT1H' })
  assert.equal((await admin('GET', '/privacy')).data[0].status, 'done')
  assert.deepEqual(await onPlatform(), NOTHING)
})
