// What messages say of customers is kept and recorded once, however late, often or reordered they come.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { json, nullable, row, sql, text } from '#kit/postgres'
import { upsertCustomers } from '#members'
import type { Connector, InboundMessage, PlatformCustomer } from '#platform'
import { testDatabase } from '../../../test/database.ts'
import { aStore } from '../../../test/store-builder.ts'
import { mergeCustomers } from '../customers/merge-customers.ts'
import { TOPICS, type TopicDeps } from '../topics.ts'

const { db } = await testDatabase()
const START = Temporal.Instant.from('2026-01-31T15:00:00Z')
const at = (minutes: number) => START.add({ minutes }).toString()

type Said = { name: string; customer: string | null; data: any }

/** A store whose platform has these customers, and what is stored and recorded of them. */
async function aShop(there: Partial<PlatformCustomer>[] = []) {
  const store = await aStore(db, { clockAt: START })
  const { storeId, inStore } = store
  const asked: string[][] = []
  const whole = { email: null, firstName: null, lastName: null, countryCode: null, provinceCode: null, createdAt: null }
  const known = new Map(there.map((one) => [one.id!, { ...whole, updatedAt: START, ...one }]))
  const connector = {
    customers: {
      findMany: async (ids: string[]) => {
        asked.push(ids)
        return { ok: true, value: new Map([...known].filter(([id]) => ids.includes(id))) }
      }
    }
  } as unknown as Connector
  const deps = { db, connectorOf: async () => connector } as unknown as TopicDeps
  let sent = 0
  const message = async (topic: string, payload: object): Promise<InboundMessage> => {
    const { id } = await inStore(({ tx }) =>
      tx.one(
        row({ id: text }),
        sql`
        insert into inbound_webhooks (store_id, webhook_id, topic, body, received_at, run_at)
        values (${storeId}, ${`w${++sent}`}, ${topic}, ${JSON.stringify(payload)}, ${START}, ${START})
        returning id::text as id`
      )
    )
    return { id: Number(id), topic, payload, triggeredAt: START }
  }
  const handle = (messages: InboundMessage[]) => TOPICS[messages[0]!.topic]!(deps, storeId, messages)
  const facts = (...names: string[]) =>
    inStore(({ tx }) =>
      tx.many(
        row({ name: text, customer: nullable(text), data: json<any>() }),
        sql`
        select f.name, m.platform_customer_id as customer, f.data::jsonb as data
          from facts f left join members m on m.store_id = ${storeId} and m.id = (f.refs ->> 'memberId')::bigint
         where f.store_id = ${storeId} and f.name = any(${names}::text[]) order by f.id`
      )
    )
  return {
    ...store,
    asked,
    message,
    handle,
    facts: async (...names: string[]): Promise<Said[]> => facts(...names),
    /** One message after the other. */
    send: async (topic: string, ...payloads: object[]) => {
      for (const payload of payloads) await handle([await message(topic, payload)])
    },
    kept: async (id: string) =>
      (
        await inStore(({ tx }) =>
          tx.one(
            row({ said: json<any>() }),
            sql`
            select jsonb_build_object('email', email_consent, 'sms', sms_consent, 'account', account_state) as said
              from members where store_id = ${storeId} and platform_customer_id = ${id}`
          )
        )
      ).said,
    /** The version of the row: it changes when the row is written. */
    version: async (id: string) =>
      (
        await inStore(({ tx }) =>
          tx.one(
            row({ version: text }),
            sql`select ctid::text as version from members where store_id = ${storeId} and platform_customer_id = ${id}`
          )
        )
      ).version,
    meet: (...ids: string[]) =>
      inStore((ctx) =>
        upsertCustomers(
          ctx,
          ids.map((id) => ({ id, email: `c${id}@example.com`, firstName: null, lastName: null }))
        )
      )
  }
}

const EMAIL = 'customers_email_marketing_consent/update'
const SMS = 'customers_marketing_consent/update'
const emailConsent = (id: string, state: string, time: string | null) => ({
  customer_id: Number(id),
  email_address: 'ada@example.com',
  email_marketing_consent: { state, opt_in_level: 'single_opt_in', consent_updated_at: time }
})
const smsConsent = (id: string, state: string, time: string | null) => ({
  id: Number(id),
  phone: '+14155550123',
  sms_marketing_consent: { state, opt_in_level: null, consent_updated_at: time, consent_collected_from: 'other' }
})
const customer = (id: string, state: string, time: string, more: object = {}) => ({
  id: Number(id),
  admin_graphql_api_id: `gid://platform/Customer/${id}`,
  email: `c${id}@example.com`,
  first_name: null,
  last_name: null,
  created_at: START.toString(),
  updated_at: time,
  state,
  ...more
})
const added = (id: string, ...tags: string[]) => ({
  customerId: `gid://platform/Customer/${id}`,
  tags,
  occurredAt: at(3)
})

test('a consent is kept with its time; an older one changes nothing, a repetition writes nothing', async () => {
  const shop = await aShop()
  await shop.meet('7')
  assert.deepEqual(await shop.kept('7'), { email: null, sms: null, account: null })
  await shop.send(EMAIL, emailConsent('7', 'subscribed', at(5)))
  const version = await shop.version('7')
  await shop.send(EMAIL, emailConsent('7', 'subscribed', at(5)), emailConsent('7', 'unsubscribed', at(4)))
  // What has no time was never changed, so it is older.
  await shop.send(EMAIL, emailConsent('7', 'not_subscribed', null))
  assert.equal(await shop.version('7'), version)
  await shop.send(SMS, smsConsent('7', 'not_subscribed', null))
  await shop.send(EMAIL, emailConsent('7', 'UNSUBSCRIBED', at(6)))
  assert.deepEqual(await shop.kept('7'), { email: 'unsubscribed', sms: 'not_subscribed', account: null })
  const changed = (channel: string, state: string, minutes: number) => ({
    name: 'customer.consent_changed',
    customer: '7',
    data: { channel, state, at: new Date(at(minutes)).toISOString() }
  })
  assert.deepEqual(await shop.facts('customer.consent_changed'), [
    changed('email', 'subscribed', 5),
    changed('email', 'unsubscribed', 6)
  ])
  assert.deepEqual(shop.asked, [])
})

test('a word that nobody knows changes nothing', async () => {
  const shop = await aShop()
  await shop.meet('7')
  await shop.send(EMAIL, emailConsent('7', 'subscribed', at(5)), emailConsent('7', 'delighted', at(6)))
  await shop.send('customers/update', customer('7', 'hibernating', at(6)))
  assert.deepEqual(await shop.kept('7'), { email: 'subscribed', sms: null, account: null })
})

test('both consents of one customer and those of 200 others, newest first and twice, are one batch', async () => {
  const shop = await aShop()
  const ids = Array.from({ length: 200 }, (_, i) => String(1000 + i))
  await shop.meet(...ids)
  const messages = await Promise.all(
    [...ids, ...ids].flatMap((id) => [
      shop.message(EMAIL, emailConsent(id, 'subscribed', at(5))),
      shop.message(EMAIL, emailConsent(id, 'unsubscribed', at(4)))
    ])
  )
  await shop.handle(messages)
  const facts = await shop.facts('customer.consent_changed')
  assert.equal(facts.length, 200)
  assert.deepEqual(new Set(facts.map(({ data }) => data.state)), new Set(['subscribed']))
  await shop.handle(await Promise.all(ids.map((id) => shop.message(SMS, smsConsent(id, 'subscribed', at(5))))))
  assert.deepEqual(await shop.kept('1199'), { email: 'subscribed', sms: 'subscribed', account: null })
  assert.equal((await shop.facts('customer.consent_changed')).length, 400)
})

test('a customer whom nobody knows is read from the platform; one whom it does not have stays unknown', async () => {
  const createdAt = START.subtract({ hours: 20_000 })
  const shop = await aShop([{ id: '8', email: 'old@example.com', createdAt, emailConsent: null }])
  await shop.handle([
    await shop.message(EMAIL, emailConsent('8', 'subscribed', at(5))),
    await shop.message(EMAIL, emailConsent('9', 'subscribed', at(5)))
  ])
  await shop.send('customer.tags_added', added('8', 'vip'), added('9', 'vip'))
  assert.deepEqual(shop.asked, [['8', '9'], ['9']])
  assert.deepEqual(
    (await shop.facts('customer.created', 'customer.consent_changed', 'customer.tags_added')).map(
      ({ name, customer: of, data }) => [name, of, data.createdAt ?? data.state ?? data.tags]
    ),
    [
      ['customer.created', '8', new Date(createdAt.toString()).toISOString()],
      ['customer.consent_changed', '8', 'subscribed'],
      ['customer.tags_added', '8', ['vip']]
    ]
  )
})

test('a customer is created once, whatever names them again', async () => {
  const shop = await aShop()
  await shop.send('customers/create', customer('7', 'disabled', at(0)))
  await shop.send('customers/update', customer('7', 'disabled', at(1)))
  await shop.meet('7')
  assert.deepEqual(await shop.facts('customer.created'), [
    { name: 'customer.created', customer: '7', data: { createdAt: '2026-01-31T15:00:00.000Z', isPast: false } }
  ])
})

test('an account is enabled once, whichever of its messages comes first; a row of an older version had no state', async () => {
  const first = await aShop()
  await first.meet('7')
  // What the platform sent at the same time comes before.
  await first.send('customers/update', customer('7', 'enabled', at(2)))
  assert.deepEqual(await first.facts('customer.account_enabled'), [], 'it may be enabled since years')
  await first.send('customers/enable', customer('7', 'enabled', at(2)), customer('7', 'enabled', at(2)))
  const enabled = (minutes: number) => ({
    name: 'customer.account_enabled',
    customer: '7',
    data: { at: new Date(at(minutes)).toISOString() }
  })
  assert.deepEqual(await first.facts('customer.account_enabled'), [enabled(2)])
  // Late: it was disabled since.
  await first.send('customers/disable', customer('7', 'disabled', at(9)))
  await first.send('customers/enable', customer('7', 'enabled', at(4)))
  assert.equal((await first.kept('7')).account, 'disabled')
  assert.deepEqual(await first.facts('customer.account_enabled'), [enabled(2)])
  // The message that says so was lost; the next one shows it.
  await first.send('customers/update', customer('7', 'enabled', at(10)))
  await first.send('customers/enable', customer('7', 'enabled', at(10)))
  assert.deepEqual(await first.facts('customer.account_enabled'), [enabled(2), enabled(10)])

  const together = await aShop()
  await together.handle([
    await together.message('customers/enable', customer('7', 'enabled', at(2))),
    await together.message('customers/update', customer('7', 'enabled', at(3))),
    await together.message('customers/create', customer('7', 'disabled', at(0)))
  ])
  assert.equal((await together.facts('customer.account_enabled')).length, 1)
  assert.equal((await together.facts('customer.created')).length, 1)
})

test('a profile that was pushed does not hold up what is said of the account', async () => {
  const shop = await aShop()
  await shop.send('customers/update', customer('7', 'disabled', at(1)))
  await shop.inStore(({ tx, storeId }) =>
    tx.run(sql`update members set platform_updated_at = ${at(8)}::timestamptz where store_id = ${storeId}`)
  )
  await shop.send('customers/enable', customer('7', 'enabled', at(5), { first_name: 'Older' }))
  assert.equal((await shop.kept('7')).account, 'enabled')
  const { name } = await shop.inStore(({ tx, storeId }) =>
    tx.one(row({ name: nullable(text) }), sql`select first_name as name from members where store_id = ${storeId}`)
  )
  assert.equal(name, null)
})

test('tags that were added are recorded once for each message, also when its handler gets it twice', async () => {
  const shop = await aShop()
  await shop.meet('7')
  const messages = [
    await shop.message('customer.tags_added', added('7', 'vip', 'SVC:member')),
    await shop.message('customer.tags_added', added('7', 'vip'))
  ]
  await shop.handle(messages)
  await shop.handle(messages)
  await shop.send('customer.tags_removed', added('7', 'vip'))
  const fact = (...tags: string[]) => ({
    name: 'customer.tags_added',
    customer: '7',
    data: { tags, at: '2026-01-31T15:03:00.000Z' }
  })
  assert.deepEqual(await shop.facts('customer.tags_added'), [fact('vip', 'SVC:member'), fact('vip')])
})

test('of two who are merged, the one who is kept stays as they are; what is unknown of them is taken over', async () => {
  const shop = await aShop()
  await shop.meet('7', '8')
  await shop.send(EMAIL, emailConsent('7', 'unsubscribed', at(1)), emailConsent('8', 'subscribed', at(2)))
  await shop.send(SMS, smsConsent('8', 'subscribed', at(2)))
  await shop.send('customers/enable', customer('8', 'enabled', at(2)))
  const before = await shop.facts('customer.consent_changed', 'customer.account_enabled')
  await mergeCustomers(db, shop.storeId, { keptId: '7', deletedId: '8' }, null)
  assert.deepEqual(await shop.kept('7'), { email: 'unsubscribed', sms: 'subscribed', account: 'enabled' })
  // What comes late about who was merged says nothing of anybody.
  await shop.send(EMAIL, emailConsent('8', 'unsubscribed', at(9)))
  await shop.send('customer.tags_added', added('8', 'vip'))
  assert.deepEqual(
    await shop.facts('customer.consent_changed', 'customer.account_enabled', 'customer.tags_added'),
    before
  )
})

test('a customer who continues under another number is newly reported, whatever the times', async () => {
  const shop = await aShop()
  await shop.meet('8')
  await shop.send(EMAIL, emailConsent('8', 'subscribed', at(9)))
  await mergeCustomers(db, shop.storeId, { keptId: '7', deletedId: '8' }, null)
  await shop.send(EMAIL, emailConsent('7', 'unsubscribed', at(1)))
  assert.equal((await shop.kept('7')).email, 'unsubscribed')
})

test('changes of the catalog are recorded once for each thing of a batch, and what was deleted stays so', async () => {
  const shop = await aShop()
  const product = { id: 7880321196742, admin_graphql_api_id: 'gid://platform/Product/7880321196742' }
  const messages = [
    await shop.message('products/delete', { id: 7880321196745 }),
    await shop.message('products/update', product),
    await shop.message('products/create', product),
    await shop.message('products/update', { id: 7880321196745 }),
    await shop.message('collections/update', { id: 9, admin_graphql_api_id: 'gid://platform/Collection/9' })
  ]
  await shop.handle(messages)
  await shop.handle(messages)
  assert.deepEqual(
    (await shop.facts('catalog_item.changed')).map(({ data }) => data),
    [
      { kind: 'product', platformId: '7880321196745', change: 'deleted' },
      { kind: 'product', platformId: '7880321196742', change: 'created' },
      { kind: 'collection', platformId: '9', change: 'updated' }
    ]
  )
})
