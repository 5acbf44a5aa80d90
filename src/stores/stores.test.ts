import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inspect } from 'node:util'
import { Database, row, sql } from '#kit/postgres'
import { Refusal } from '#kit/refusal'
import { openVault } from '#kit/secrets'
import { testDatabase } from '../../test/database.ts'
import { aStore, testVault } from '../../test/store-builder.ts'
import { freezeClock, setClock, storeNow } from './clock.ts'
import { createStore, type NewStore } from './create-store.ts'
import { findStore, listStores } from './find-store.ts'
import { platformAccess, storeByDomain } from './platform-access.ts'
import { markStoreConnected } from './queries.ts'

const { db, url } = await testDatabase()

const sound: NewStore = {
  domain: 'Vienna.Example',
  name: ' Wien ',
  timezone: 'europe/vienna',
  currency: 'eur',
  plan: 'growth',
  sandbox: true,
  platformUrl: 'http://127.0.0.1:3001/'
}

test('creates a store with canonical spellings and finds it by id and by domain', async () => {
  const { store, credentials } = await createStore(db, testVault, sound)
  const { storeId, createdAt, ...facts } = store

  assert.deepEqual(facts, {
    domain: 'vienna.example',
    name: 'Wien',
    timezone: 'Europe/Vienna',
    currency: 'EUR',
    ratePlan: 'growth',
    sandbox: true,
    clockAt: null,
    platformProfile: 'platform',
    platformUrl: 'http://127.0.0.1:3001',
    status: 'active',
    connectedAt: null,
    restoredAt: null,
    tokenRefusedAt: null,
    webhooksUrl: null
  })
  assert.match(credentials.accessToken, /^sbx_[0-9A-Za-z]{32}$/)
  assert.match(credentials.proxySecret, /^[0-9A-Za-z]{32}$/)
  assert.deepEqual(await findStore(db, `store_${storeId}`), store)
  assert.deepEqual(await findStore(db, 'VIENNA.example'), store)
  assert.equal(await findStore(db, 'vienna.example\0'), null)
  assert.equal(await findStore(db, 'store_999999'), null)
  assert.equal(await findStore(db, 'nowhere.example'), null)
  assert.ok((await listStores(db)).some((listed) => listed.storeId === storeId))
})

for (const [field, given] of Object.entries({
  domain: [{ domain: 'no spaces.example' }, { domain: 'x' }, { domain: 'a/b.example' }, { domain: '-a.example' }],
  name: [{ name: '  ' }, { name: 'x'.repeat(201) }, { name: 'two\nlines' }, { name: 'nul\0' }],
  timezone: [{ timezone: 'Mars/Olympus' }, { timezone: '+02:00' }, { timezone: '' }],
  currency: [{ currency: 'XYZ' }, { currency: '' }],
  plan: [{ plan: 'free' }],
  profile: [{ profile: 'magento' }],
  platform_url: [
    { platformUrl: 'http://shop.example' },
    { platformUrl: 'ftp://127.0.0.1' },
    { platformUrl: 'https://u:p@shop.example' }
  ],
  access_token: [{ accessToken: 'with space' }, { sandbox: false, appSecret: 'app-secret-1' }],
  app_secret: [{ sandbox: false, accessToken: 'access-token-1' }],
  clock: [
    {
      sandbox: false,
      accessToken: 'token-123',
      appSecret: 'secret-123',
      clockAt: Temporal.Instant.fromEpochMilliseconds(0)
    }
  ]
} satisfies Record<string, Partial<NewStore>[]>)) {
  test(`refuses a store whose ${field} is wrong, naming it`, async () => {
    for (const wrong of given) {
      await assert.rejects(
        createStore(db, testVault, { ...sound, domain: 'wrong.example', ...wrong }),
        (err) => err instanceof Refusal && err.code === 'invalid_request' && err.details[0]?.field === field
      )
    }
    assert.equal(await findStore(db, 'wrong.example'), null)
  })
}

test('an unfinished store is created again with the new facts and its old secrets; the domain of a finished one is taken', async () => {
  const domain = 'again.example'
  const first = await createStore(db, testVault, { ...sound, domain })
  const second = await createStore(db, testVault, { ...sound, domain, name: 'Second', accessToken: 'brought-along' })

  assert.equal(second.store.storeId, first.store.storeId)
  assert.equal(second.store.name, 'Second')
  assert.deepEqual(second.credentials, { ...first.credentials, accessToken: 'brought-along' })
  assert.equal((await platformAccess(db, testVault, first.store.storeId)).accessToken, 'brought-along')

  await db.inStore(first.store.storeId, markStoreConnected)
  await assert.rejects(createStore(db, testVault, { ...sound, domain }), { code: 'conflict' })
})

test('two creations at once make one store of a domain', async () => {
  const tries = await Promise.allSettled(
    [1, 2, 3].map(() => createStore(db, testVault, { ...sound, domain: 'race.example' }))
  )
  const created = tries.flatMap((one) => (one.status === 'fulfilled' ? [one.value.store.storeId] : []))
  assert.ok(created.length >= 1)
  assert.equal(new Set(created).size, 1)
})

test('credentials are ciphertext at rest, open with the right master key only, and do not show in logs', async () => {
  const store = await aStore(db, { accessToken: 'canary-access-token' })
  const access = await storeByDomain(db, testVault, store.domain.toUpperCase())

  assert.equal(access?.accessToken, 'canary-access-token')
  assert.equal(access.storeId, store.storeId)
  assert.doesNotMatch(`${inspect(access)} ${JSON.stringify(access)}`, /canary/)
  const { credentials } = await store.inStore((ctx) =>
    ctx.tx.one(
      row({ credentials: (v) => String(v) }),
      sql`select encode(platform_credentials, 'escape') as credentials from stores where store_id = ${ctx.storeId}`
    )
  )
  assert.doesNotMatch(credentials, /canary/)
  const elsewhere = new Database({ url })
  await assert.rejects(platformAccess(elsewhere, openVault(Buffer.alloc(32, 7)), store.storeId), /master key/)
  await elsewhere.close()
  assert.equal(await storeByDomain(db, testVault, 'unknown.example'), null)
  await assert.rejects(platformAccess(db, testVault, 4242), { code: 'not_found' })
})

test('credentials copied into another store do not open there', async () => {
  const [a, b] = [await aStore(db), await aStore(db)]
  await db.inInstallation((tx) =>
    tx.run(sql`update stores set platform_credentials =
      (select platform_credentials from stores where store_id = ${a.storeId}) where store_id = ${b.storeId}`)
  )
  await assert.rejects(platformAccess(db, testVault, b.storeId), /cannot be decrypted/)
})

test('a test clock goes forward, never back, and every transaction sees it', async () => {
  const start = Temporal.Instant.from('2026-01-31T10:00:00.000999Z')
  const store = await aStore(db, { clockAt: start })
  assert.equal(String(await storeNow(db, store.storeId)), '2026-01-31T10:00:00Z')

  const later = Temporal.Instant.from('2026-02-28T10:00:00Z')
  await store.inStore((ctx) => setClock(ctx, later))
  assert.equal(String(await store.inStore(async ({ now }) => now)), String(later))
  await assert.rejects(
    store.inStore((ctx) => setClock(ctx, later.subtract({ hours: 1 }))),
    { code: 'conflict' }
  )
  assert.equal(String(await storeNow(db, store.storeId)), String(later))
})

test('null returns a clock before real time to real time, and is refused for one after it', async () => {
  const past = await aStore(db, { clockAt: Temporal.Instant.from('2001-01-01T00:00:00Z') })
  await past.inStore((ctx) => setClock(ctx, null))
  assert.equal((await findStore(db, past.domain))?.clockAt, null)
  const ahead = await aStore(db, { clockAt: Temporal.Instant.from('2199-01-01T00:00:00Z') })
  await assert.rejects(
    ahead.inStore((ctx) => setClock(ctx, null)),
    { code: 'conflict' }
  )
})

test('freezing stops a running clock and leaves a stopped one', async () => {
  const running = await aStore(db)
  const frozen = await running.inStore(freezeClock)
  assert.equal(String((await findStore(db, running.domain))?.clockAt), String(frozen))
  assert.equal(String(await running.inStore(freezeClock)), String(frozen))
})

test('the clock of a live store cannot be set', async () => {
  const live = await aStore(db, { sandbox: false, accessToken: 'token-123', appSecret: 'secret-123' })
  assert.equal(live.platformProfile, 'shopify')
  assert.equal(live.credentials.proxySecret, 'secret-123')
  await assert.rejects(
    live.inStore((ctx) => setClock(ctx, Temporal.Instant.from('2999-01-01T00:00:00Z'))),
    { code: 'conflict', message: /not a sandbox store/ }
  )
  await assert.rejects(live.inStore(freezeClock), { code: 'conflict' })
})
