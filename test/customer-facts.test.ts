// What customers do on the platform, from the sandbox over its socket to the rows and facts of the service, and back in the admin API.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { json, nullable, row, sql, text } from '#kit/postgres'
import { requestedScopes, unwrap } from '#platform'
import { platformAccess } from '#stores'
import { commandLine } from './command-line.ts'
import { connectorTo } from './connectors.ts'
import { testDatabase } from './database.ts'
import { aStoreWithEvents } from './recorded-events.ts'
import { startService } from './service-builder.ts'
import { testVault } from './store-builder.ts'

const { url } = await testDatabase()
const service = await startService(url)
const { controls } = service.sandbox
const { run, json: command } = commandLine(service)

type Store = { storeId: number }
const factsOf = (
  { storeId }: Store,
  ...names: string[]
): Promise<{ name: string; customer: string | null; data: any }[]> =>
  service.db.inStore(storeId, ({ tx }) =>
    tx.many(
      row({ name: text, customer: nullable(text), data: json<any>() }),
      sql`
      select f.name, m.platform_customer_id as customer, f.data::jsonb as data
        from facts f left join members m on m.store_id = ${storeId} and m.id = (f.refs ->> 'memberId')::bigint
       where f.store_id = ${storeId} and f.name = any(${names}::text[]) order by f.id`
    )
  )
const ABOUT_CUSTOMERS = [
  'customer.created',
  'customer.account_enabled',
  'customer.consent_changed',
  'customer.tags_added'
]

test('consents, the account and tags, by the commands of the sandbox', async () => {
  const store = await service.aStore()
  const of = ['--store', store.domain]
  const { customer } = await store.member('ada@example.com')
  const who = [...of, '--customer', customer.id]
  const consent = (...flags: string[]) => command('sandbox', 'consent', ...who, ...flags)
  assert.deepEqual(await consent('--channel', 'email', '--state', 'subscribed'), {
    customer: customer.id,
    channel: 'email',
    state: 'subscribed'
  })
  await consent('--channel', 'email', '--state', 'subscribed')
  const texts = ['--channel', 'sms', '--state', 'subscribed']
  const { code, err } = await run(['sandbox', 'consent', ...who, ...texts])
  assert.notEqual(code, 0)
  assert.match(err, /has no telephone/)
  await consent(...texts, '--phone', '+1 415 555 0123')
  await command('sandbox', 'account', ...who, '--state', 'invited')
  await command('sandbox', 'account', ...who, '--state', 'enabled')
  await command('sandbox', 'tags', ...who, '--add', 'wholesale', '--add', 'press')
  await command('sandbox', 'tags', ...who, '--remove', 'press')

  const now = '2026-01-31T15:00:00.000Z'
  const fact = (name: string, data: object) => ({ name: `customer.${name}`, customer: customer.id, data })
  const ofShop = (tags: string[]) => tags.filter((tag) => !/^SVC/i.test(tag))
  const facts = (await factsOf(store, ...ABOUT_CUSTOMERS)).map((said) =>
    said.data.tags ? { ...said, data: { ...said.data, tags: ofShop(said.data.tags) } } : said
  )
  assert.deepEqual(
    facts.filter(({ data }) => data.tags?.length !== 0),
    [
      fact('created', { createdAt: now, isPast: false }),
      fact('consent_changed', { channel: 'email', state: 'subscribed', at: now }),
      fact('consent_changed', { channel: 'sms', state: 'subscribed', at: now }),
      fact('account_enabled', { at: now }),
      fact('tags_added', { tags: ['press', 'wholesale'], at: now })
    ]
  )
  const {
    data: [member]
  } = await command('member', 'list', ...of)
  assert.deepEqual(
    [member.email_consent, member.sms_consent, member.account_state],
    [{ state: 'subscribed', changed_at: now }, { state: 'subscribed', changed_at: now }, 'enabled']
  )
  await store.soundBooks()
})

test('an app changes consents and tags; the customer of another shop has none of it', async () => {
  const store = await aStoreWithEvents(service)
  const { id, gid } = await store.customer('ada@example.com')
  await store.shop(
    `mutation ($input: CustomerEmailMarketingConsentUpdateInput!) {
      customerEmailMarketingConsentUpdate(input: $input) { userErrors { message } } }`,
    {
      input: {
        customerId: gid,
        emailMarketingConsent: { marketingState: 'SUBSCRIBED', consentUpdatedAt: '2026-01-30T10:00:00Z' }
      }
    }
  )
  await store.settle()
  await store.shop('mutation ($id: ID!) { tagsAdd(id: $id, tags: ["press"]) { userErrors { message } } }', { id: gid })
  await store.shop(
    `mutation { customerCreate(input: { email: "ben@example.com",
        emailMarketingConsent: { marketingState: SUBSCRIBED, marketingOptInLevel: SINGLE_OPT_IN } }) {
      userErrors { message } } }`
  )
  await store.settle()
  const facts = await factsOf(store, 'customer.consent_changed', 'customer.tags_added')
  assert.deepEqual(
    facts.filter(({ customer }) => customer === id).map(({ data }) => data),
    [
      { channel: 'email', state: 'subscribed', at: '2026-01-30T10:00:00.000Z' },
      { tags: ['press'], at: '2026-01-31T15:00:00.000Z' }
    ]
  )
  assert.deepEqual(
    facts.filter(({ customer }) => customer !== id).map(({ data }) => data.state),
    ['subscribed']
  )
})

test('products and collections: made, changed, deleted, and read again page by page', async () => {
  const store = await aStoreWithEvents(service)
  await store.settle()
  const before = (await factsOf(store, 'catalog_item.changed')).length
  const { product } = await store.shop(
    'mutation { productCreate(product: { title: "Poster" }) { product { id } userErrors { message } } }'
  )
  await store.settle()
  await store.shop(
    'mutation ($id: ID!) { productUpdate(product: { id: $id, title: "Print" }) { product { id } userErrors { message } } }',
    product
  )
  await store.shop('mutation ($id: ID!) { tagsAdd(id: $id, tags: ["paper"]) { userErrors { message } } }', product)
  await store.settle()
  const { collection } = await store.shop(
    'mutation { collectionCreate(input: { title: "Walls" }) { collection { id } userErrors { message } } }'
  )
  await store.settle()
  await store.shop(
    `mutation ($id: ID!, $productIds: [ID!]!) {
      collectionAddProducts(id: $id, productIds: $productIds) { userErrors { message } } }`,
    { id: collection.id, productIds: [product.id] }
  )
  await store.settle()
  const digits = (gid: string) => gid.slice(gid.lastIndexOf('/') + 1)
  const [productId, collectionId] = [digits(product.id), digits(collection.id)]
  const connector = connectorTo(await platformAccess(service.db, testVault, store.storeId))
  assert.deepEqual(unwrap(await connector.collections.listProductIds(collectionId)), {
    items: [productId],
    after: null
  })
  assert.equal(unwrap(await connector.collections.listProductIds('9')), null)
  assert.deepEqual(unwrap(await connector.products.exist([productId, '9'])), new Set([productId]))

  await store.shop('mutation ($id: ID!) { productDelete(input: { id: $id }) { userErrors { message } } }', product)
  // Webhooks of different resources arrive in any order: each deletion is let in before the next.
  await store.settle()
  await store.shop(
    'mutation ($id: ID!) { collectionDelete(input: { id: $id }) { userErrors { message } } }',
    collection
  )
  await store.settle()
  assert.deepEqual(unwrap(await connector.products.exist([productId])), new Set())
  const fields = await service.db.inStore(store.storeId, ({ tx }) =>
    tx.many(
      row({ topic: text, fields: text }),
      sql`
      select topic, string_agg(distinct f, ',' order by f) as fields
        from inbound_webhooks, json_object_keys(body::json) f
       where store_id = ${store.storeId} and topic ~ '^(products|collections)/' group by topic order by topic`
    )
  )
  const ids = 'admin_graphql_api_id,id'
  assert.deepEqual(
    fields.map((one) => [one.topic, one.fields]),
    [
      ['collections/create', ids],
      ['collections/delete', `${ids},published_scope`],
      ['collections/update', ids],
      ['products/create', ids],
      ['products/delete', 'id'],
      ['products/update', ids]
    ]
  )
  const changes = (await factsOf(store, 'catalog_item.changed')).slice(before).map(({ data }) => data)
  const of = (kind: string, platformId: string) => (change: string) => ({ kind, platformId, change })
  const [ofProduct, ofCollection] = [of('product', productId), of('collection', collectionId)]
  assert.deepEqual(changes, [
    ofProduct('created'),
    ofProduct('updated'),
    ofCollection('created'),
    ofCollection('updated'),
    ofProduct('deleted'),
    ofCollection('deleted')
  ])
})

test('a collection of more than a page is read to its end', async () => {
  const store = await aStoreWithEvents(service)
  const { collection } = await store.shop(
    'mutation { collectionCreate(input: { title: "All" }) { collection { id } userErrors { message } } }'
  )
  const ids = Array.from({ length: 251 }, (_, i) => String(7_000_000_000_000 + i))
  await service.sandboxDb.inInstallation(async (q) => {
    await q.run(sql`
      insert into sandbox.products (store_id, id, title, handle, status, created_at, updated_at)
      select ${store.storeId}, i::bigint, 'Mug', 'mug-' || i, 'ACTIVE', now(), now() from unnest(${ids}::text[]) i`)
    await q.run(sql`
      update sandbox.collections set product_ids = ${ids}::bigint[] where store_id = ${store.storeId} and title = 'All'`)
  })
  const { collections } = connectorTo(await platformAccess(service.db, testVault, store.storeId))
  const number = collection.id.slice(collection.id.lastIndexOf('/') + 1)
  const first = unwrap(await collections.listProductIds(number))!
  const second = unwrap(await collections.listProductIds(number, first.after))!
  assert.deepEqual([first.items.length, second.after], [250, null])
  assert.deepEqual([...first.items, ...second.items], ids)
})

test('a store from before these topics gets them at its next check; without a scope only those that need it are missing', async () => {
  const store = await service.aStore()
  const { storeId } = store
  const isNew = `(topic like 'products/%' or topic like 'collections/%' or topic like '%consent/update'
                  or topic in ('customers/enable', 'customers/disable'))`
  const topics = async () =>
    (
      await service.sandboxDb.inInstallation((q) =>
        q.many(
          row({ topic: text }),
          sql`select topic from sandbox.webhook_subscriptions where store_id = ${storeId} order by topic`
        )
      )
    ).map(({ topic }) => topic)
  const whole = await topics()
  await service.sandboxDb.inInstallation((q) =>
    q.run({
      text: `delete from sandbox.webhook_subscriptions where store_id = $1 and ${isNew}`,
      values: [storeId]
    } as never)
  )
  assert.equal(whole.length - (await topics()).length, 10)
  const granted = requestedScopes.filter((scope) => !/_products$/.test(scope))
  await controls.setAccess({ storeId, scopes: granted })
  await assert.rejects(service.admin('POST', `${store.at}/platform/check`), /products\/create/)
  const ofCatalog = (topic: string) => /^(products|collections)\//.test(topic)
  assert.deepEqual(
    await topics(),
    whole.filter((topic) => !ofCatalog(topic))
  )
  // What the app may have goes on.
  const { id } = await store.customer('ada@example.com')
  await service.admin('POST', `${store.at}/sandbox/consents`, { customer: id, channel: 'email', state: 'subscribed' })
  assert.equal((await factsOf(store, 'customer.consent_changed')).length, 1)
  await controls.setAccess({ storeId, scopes: [...requestedScopes] })
  await service.admin('POST', `${store.at}/platform/check`)
  assert.deepEqual(await topics(), whole)
})

test('whoever is read in is past; whoever comes later is not, although no message says so', async () => {
  const store = await service.aStore()
  const { storeId } = store
  await controls.setWebhookFaults({ storeId, faults: { drop: 1 } })
  const old = await store.customer('old@example.com')
  await controls.setConsent({ storeId, customerId: old.id, channel: 'email', state: 'subscribed' })
  await controls.setAccount({ storeId, customerId: old.id, state: 'enabled' })
  await service.sandboxDb.inInstallation((q) =>
    q.run(sql`update sandbox.customers set created_at = '2025-06-01T00:00:00Z' where store_id = ${storeId}`)
  )
  const readIn = async () => {
    await service.admin('POST', `${store.at}/platform/read-in`, {})
    for (let n = 0; n < 60; n++) {
      await service.deps.settle(storeId)
      if ((await service.admin('GET', `${store.at}/platform/read-in`)).status !== 'running') return
      await sleep(250)
    }
    assert.fail('It is not read in after fifteen seconds')
  }
  await readIn()
  assert.deepEqual(await factsOf(store, ...ABOUT_CUSTOMERS), [
    {
      name: 'customer.created',
      customer: old.id,
      data: { createdAt: '2025-06-01T00:00:00.000Z', isPast: true }
    }
  ])
  const { kept } = await service.db.inStore(storeId, ({ tx }) =>
    tx.one(
      row({ kept: text }),
      sql`select concat_ws(' ', email_consent, sms_consent, account_state) as kept from members where store_id = ${storeId}`
    )
  )
  assert.equal(kept, 'subscribed enabled')
  // A change whose message is lost is noticed by the next read.
  await store.advance({ by: 'PT1H' })
  await controls.setConsent({ storeId, customerId: old.id, channel: 'email', state: 'unsubscribed' })
  const fresh = await store.customer('new@example.com')
  await controls.setConsent({ storeId, customerId: fresh.id, channel: 'email', state: 'subscribed' })
  await readIn()
  assert.deepEqual(
    (await factsOf(store, ...ABOUT_CUSTOMERS))
      .slice(1)
      .map(({ customer, data }) => [customer, data.state ?? data.isPast]),
    [
      [fresh.id, false],
      [old.id, 'unsubscribed'],
      [fresh.id, 'subscribed']
    ]
  )
})

test('a birth date that is entered, corrected and removed', async () => {
  const store = await service.aStore()
  const { customer } = await store.member('ada@example.com')
  const client = (body: object) => service.patch(`/members/mem_${memberId}`, store.key, body)
  const { id: memberId } = await service.db.inStore(store.storeId, ({ tx }) =>
    tx.one(row({ id: text }), sql`select id::text as id from members where store_id = ${store.storeId}`)
  )
  await client({ birth_date: '1990-05-05' })
  await client({ birth_date: '1990-05-05', first_name: 'Ada' })
  await client({ birth_date: '1990-05-06' })
  await client({ birth_date: null })
  assert.deepEqual(
    await factsOf(store, 'customer.birth_date_changed'),
    [
      { from: null, to: '1990-05-05' },
      { from: '1990-05-05', to: '1990-05-06' },
      { from: '1990-05-06', to: null }
    ].map((birth_date) => ({ name: 'customer.birth_date_changed', customer: customer.id, data: { birth_date } }))
  )
})
