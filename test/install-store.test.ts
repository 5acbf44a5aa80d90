// How the people of a shop install the app, from the admin of the sandbox platform to a store that bills.
import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { test } from 'node:test'
import { int, row, sql, text } from '#kit/postgres'
import { evictPlatformAccess, findStore, platformAccess } from '#stores'
import { testDatabase } from './database.ts'
import { SANDBOX_APP, startService } from './service-builder.ts'
import { testVault } from './store-builder.ts'
import { until } from './until.ts'

const { url, db } = await testDatabase()
const service = await startService(url)
let shops = 0

/** A shop on the sandbox that has not installed the app. */
async function aShop() {
  const domain = `dev-${++shops}.example`
  await service.sandbox.controls.openShop({ domain, name: 'Dev shop', timezone: 'Europe/Vienna', currency: 'EUR' })
  const at = `${service.urls.sandbox}/${domain}`
  const sessionToken = async () =>
    ((await (await fetch(`${at}/admin/session-token`)).json()) as { token: string }).token
  const connect = async (token: string) => {
    const response = await fetch(`${service.url}/app/session`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}` }
    })
    return { status: response.status, body: (await response.json()) as any }
  }
  const open = async () => connect(await sessionToken())
  const store = async () => (await findStore(db, domain))!
  const access = async () => {
    const { storeId } = await store()
    // As it is now: the service has a memory of its own.
    evictPlatformAccess(db, storeId)
    return platformAccess(db, testVault, storeId)
  }
  return { domain, at, sessionToken, connect, open, store, access }
}

const unsigned = (token: string, change: Record<string, unknown>, secret: string = SANDBOX_APP.clientSecret) => {
  const [head, payload] = token.split('.')
  const claims = { ...JSON.parse(Buffer.from(payload!, 'base64url').toString()), ...change }
  const text = `${head}.${Buffer.from(JSON.stringify(claims)).toString('base64url')}`
  return `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`
}

test('opening the app in the admin connects the shop with a token that expires, once', async () => {
  const { domain, open, store, access } = await aShop()
  const { status, body } = await open()
  assert.equal(status, 200, JSON.stringify(body))
  const { id, ...shown } = body
  assert.deepEqual(shown, {
    domain,
    name: 'Dev shop',
    timezone: 'Europe/Vienna',
    currency: 'EUR',
    connected_now: true,
    missing_scopes: []
  })
  const created = await store()
  assert.equal(`store_${created.storeId}`, id)
  assert.ok(created.connectedAt)
  const { accessToken, refreshToken, tokenEndsAt, appSecret } = await access()
  assert.match(accessToken, /^shpat_/)
  assert.match(refreshToken!, /^shprt_/)
  assert.ok(tokenEndsAt! - performance.now() > 3_500_000)
  assert.equal(appSecret, SANDBOX_APP.clientSecret)
  // Webhooks are registered with the shop, and come back signed with the app's secret.
  const webhooks = await service.admin('GET', `/stores/${id}/platform/webhooks`)
  assert.ok(webhooks.data.length > 20)
  assert.ok(webhooks.data.every(({ problem }: { problem: string | null }) => problem === null))

  const again = await open()
  assert.equal(again.body.connected_now, false)
  assert.equal((await access()).accessToken, accessToken)
})

test('a session token that is for others, changed, too old or of another shop proves nothing', async () => {
  const { connect, sessionToken, store } = await aShop()
  const token = await sessionToken()
  const seconds = Math.floor(Date.now() / 1000)
  for (const [bad, reason] of [
    ['', /needed as a bearer/],
    ['x.y.z', /no session token/],
    [`${token.slice(0, -4)}AAAA`, /signature/],
    [unsigned(token, {}, 'another secret'), /signature/],
    [unsigned(token, { aud: 'other-app' }), /another app/],
    [unsigned(token, { exp: seconds - 60 }), /expired/],
    [unsigned(token, { nbf: seconds + 60 }), /not valid yet/],
    [unsigned(token, { dest: 'https://other.example' }), /different shops/],
    [unsigned(token, { dest: 'http://x/..' }), /names no shop/],
    [`${Buffer.from('{"alg":"none"}').toString('base64url')}.${token.split('.')[1]}.`, /no session token/],
    [`${Buffer.from('{"alg":"none"}').toString('base64url')}.${token.split('.')[1]}.x`, /HS256/]
  ] as const) {
    const { status, body } = await connect(bad)
    assert.equal(status, 401, bad)
    assert.match(body.error.message, reason)
  }
  assert.equal(await store(), null)
})

test('the page may be framed by the admin only, and no other page of ours has its policy', async () => {
  const { domain } = await aShop()
  const page = await fetch(`${service.url}/app?shop=${domain}`)
  const policy = page.headers.get('content-security-policy')!
  assert.match(policy, new RegExp(`frame-ancestors ${service.urls.sandbox}$`))
  assert.match(policy, /^default-src 'none'; script-src 'self' http:\/\/127\.0\.0\.1:\d+;/)
  assert.match(await page.text(), /app-bridge\.js/)
  const none = await fetch(`${service.url}/app?shop=javascript:alert(1)`)
  assert.match(none.headers.get('content-security-policy')!, /frame-ancestors 'none'/)
  assert.doesNotMatch(await none.text(), /script/)
})

/** Goes the way of a browser from the link to the end. */
async function installByCode({ domain, at }: { domain: string; at: string }) {
  const begun = await fetch(`${service.url}/app/install?shop=${domain}`, { redirect: 'manual' })
  const cookie = begun.headers.get('set-cookie')!.split(';')[0]!
  const consent = new URL(begun.headers.get('location')!)
  assert.equal(consent.href.split('?')[0], `${at}/admin/oauth/authorize`)
  assert.equal((await fetch(consent)).status, 200)
  const agreed = await fetch(consent.href.split('?')[0]!, {
    method: 'POST',
    body: consent.searchParams,
    redirect: 'manual'
  })
  return { cookie, callback: agreed.headers.get('location')! }
}

test('a shop is installed by a code, whose address and state are good once and for this browser', async () => {
  const shop = await aShop()
  const { cookie, callback } = await installByCode(shop)
  const finish = async (address: string, given = cookie) => {
    const response = await fetch(address, { headers: { cookie: given }, redirect: 'manual' })
    return { status: response.status, to: response.headers.get('location'), text: await response.text() }
  }
  assert.equal((await finish(callback, '')).status, 403)
  assert.equal((await finish(callback.replace('state=', 'state=x'))).status, 401)
  assert.equal((await finish(`${callback}&shop=other.example`)).status, 401)
  assert.equal(await shop.store(), null)
  const finished = await finish(callback)
  assert.deepEqual([finished.status, finished.to], [302, `${shop.at}/admin/apps/sandbox-app`])
  assert.equal((await shop.store()).status, 'active')
  const replayed = await finish(callback)
  assert.equal(replayed.status, 403)
  assert.match(replayed.text, /did not begin the installation/)
})

const expire = async (shop: Awaited<ReturnType<typeof aShop>>, how: 'expire' | 'revoke' = 'expire') => {
  const { storeId } = await shop.store()
  await service.sandbox.controls.endToken({ storeId, how })
}
const readShop = async (shop: Awaited<ReturnType<typeof aShop>>) =>
  (await service.deps.connectorOf((await shop.store()).storeId)).shop.read()

test('a token that has expired on the platform is refreshed by the first call that notices', async () => {
  const shop = await aShop()
  await shop.open()
  const before = await shop.access()
  await expire(shop)
  const reads = await Promise.all(Array.from({ length: 8 }, () => readShop(shop)))
  assert.ok(
    reads.every(({ ok }) => ok),
    JSON.stringify(reads[0])
  )
  const after = await shop.access()
  assert.notEqual(after.accessToken, before.accessToken)
  assert.notEqual(after.refreshToken, before.refreshToken)
  assert.equal((await shop.store()).tokenRefusedAt, null)
})

test('a token near its end is refreshed before it is used, also by two nodes at once, which use one refresh token once', async () => {
  const shop = await aShop()
  await shop.open()
  const { storeId } = await shop.store()
  const other = await startService(url, { publicUrl: service.url })
  const used: string[] = []
  for (let round = 1; round <= 5; round++) {
    await db.inStore(storeId, ({ tx }) =>
      tx.run(
        sql`update stores set token_expires_at = statement_timestamp() + interval '30 seconds' where store_id = ${storeId}`
      )
    )
    for (const node of [service, other]) evictPlatformAccess(node.db, storeId)
    const connectors = [service, other, service, other].map(({ deps }) => deps.connectorOf(storeId))
    const reads = await Promise.all(connectors.map(async (connector) => (await connector).shop.read()))
    assert.ok(
      reads.every(({ ok }) => ok),
      JSON.stringify(reads)
    )
    used.push((await shop.access()).refreshToken!)
    const issued = await db.direct.run(sql`select from sandbox.oauth_tokens where store_id = ${storeId}`)
    assert.equal(issued, 1 + round)
  }
  assert.equal(new Set(used).size, 5)
})

test('a refresh whose answer was lost is repeated with the same refresh token', async () => {
  const shop = await aShop()
  await shop.open()
  const { refreshToken } = await shop.access()
  const { storeId } = await shop.store()
  // The platform has refreshed, and nobody here has heard of it.
  const lost = await fetch(`${shop.at}/admin/oauth/access_token`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      client_id: SANDBOX_APP.clientId,
      client_secret: SANDBOX_APP.clientSecret,
      grant_type: 'refresh_token',
      refresh_token: refreshToken
    })
  })
  assert.equal(lost.status, 200)
  assert.ok((await readShop(shop)).ok)
  const after = await shop.access()
  assert.notEqual(after.refreshToken, refreshToken)
  const pairs = await db.direct.run(sql`select from sandbox.oauth_tokens where store_id = ${storeId}`)
  assert.equal(pairs, 3)
})

test('a revoked token shows as refused with an alert, and opening the app brings another one', async () => {
  const shop = await aShop()
  await shop.open()
  await expire(shop, 'revoke')
  const read = await readShop(shop)
  assert.equal(read.ok ? null : read.failure.kind, 'unauthorized')
  const { storeId } = await shop.store()
  await until('the refusal is recorded', async () => (await shop.store()).tokenRefusedAt)
  const kinds = (await service.admin('GET', `/stores/store_${storeId}/alerts`)).data.map(({ kind }: any) => kind)
  assert.deepEqual(kinds, ['platform_unauthorized'])
  const { refresh_error } = await service.admin('GET', `/stores/store_${storeId}/platform`)
  assert.match(refresh_error, /active refresh_token/)
  const reopened = await shop.open()
  assert.equal(reopened.body.connected_now, true, JSON.stringify(reopened.body))
  assert.ok((await readShop(shop)).ok)
  assert.equal((await shop.store()).tokenRefusedAt, null)
})

test('what a shop had before it installed the app is there afterwards', async () => {
  const shop = await aShop()
  const graphql = async (query: string, variables: object, token: string) => {
    const response = await fetch(`${shop.at}/admin/api/2026-07/graphql.json`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-platform-access-token': token },
      body: JSON.stringify({ query, variables })
    })
    return (await response.json()) as any
  }
  const { storeId: unadopted } = await service.sandboxDb.inInstallation((q) =>
    q.one(row({ storeId: int }), sql`select store_id from sandbox.shops where domain = ${shop.domain}`)
  )
  await service.sandbox.controls.createCustomer({ storeId: unadopted, email: 'early@example.com' })
  await shop.open()
  const { accessToken } = await shop.access()
  const { data } = await graphql(
    '{ customers(first: 5) { nodes { email } } products(first: 20) { nodes { id } } }',
    {},
    accessToken
  )
  assert.deepEqual(data.customers.nodes, [{ email: 'early@example.com' }])
  assert.equal(data.products.nodes.length, 12)
})

test('an uninstalled app loses its tokens and stops billing; installing it again continues with the same store', async () => {
  const shop = await aShop()
  await shop.open()
  const { storeId } = await shop.store()
  await service.admin('POST', `/stores/store_${storeId}/sandbox/uninstalls`, {})
  const gone = await shop.store()
  assert.equal(gone.status, 'disconnected')
  await assert.rejects(shop.access(), /disconnected/)
  const { body } = await shop.open()
  assert.deepEqual([body.id, body.connected_now], [`store_${storeId}`, true], JSON.stringify(body))
  assert.equal((await shop.store()).status, 'active')
})

test('a shop that an operator disconnects says that nobody maintains it, until it is connected again', async () => {
  const shop = await aShop()
  await shop.open()
  const { storeId } = await shop.store()
  const general = async () => {
    await service.deps.settle(storeId)
    const { value } = await service.sandboxDb.direct.one(
      row({ value: text }),
      sql`select value from sandbox.metafields where store_id = ${storeId} and owner_type = 'Shop' and key = 'general'`
    )
    return value
  }
  assert.equal(await general(), '1')
  const { webhooks_removed } = await service.admin('POST', `/stores/store_${storeId}/disconnect`, {})
  assert.deepEqual([webhooks_removed, await general()], [true, '0'])
  await shop.open()
  assert.equal(await general(), '1')
})

test('a scope that is taken away is known at once, with what stops without it', async () => {
  const shop = await aShop()
  await shop.open()
  const { storeId } = await shop.store()
  const scopes = (await service.admin('GET', `/stores/store_${storeId}/platform`)).scopes.map(({ scope }: any) => scope)
  assert.equal(scopes.length, 22)
  await service.sandbox.controls.changeScopes(
    storeId,
    scopes.filter((scope: string) => !scope.endsWith('_products') && scope !== 'read_all_orders')
  )
  await service.deps.settle(storeId)
  const { findings } = await service.admin('POST', '/doctor', { store: `store_${storeId}` })
  assert.deepEqual(
    findings.filter(({ check }: any) => check === 'scopes_granted').map(({ subject }: any) => subject),
    ['read_products', 'write_products']
  )
  const status = await service.admin('GET', `/status?store=store_${storeId}`)
  assert.deepEqual(
    status.problems.filter(({ kind }: any) => kind === 'scopes_missing').map(({ message }: any) => message),
    ['The app lacks the access scopes read_products, write_products in the shop']
  )
  const alerts = (await service.admin('GET', `/stores/store_${storeId}/alerts`)).data
  assert.match(alerts[0].message, /write_products is missing: no plan can be published or changed/)
})

test('a token that was issued again is kept, whatever becomes of the webhooks: the check registers them', async () => {
  const shop = await aShop()
  await shop.open()
  const { storeId } = await shop.store()
  // Now nothing happens there but when it is asked for.
  await service.admin('POST', `/stores/store_${storeId}/clock/advance`, { by: 'PT1M' })
  const webhooks = async () =>
    (await service.admin('GET', `/stores/store_${storeId}/platform/webhooks`)).data
      .filter(({ problem }: any) => problem !== null)
      .map(({ topic, problem }: any) => `${topic} ${problem}`)
  await service.sandboxDb.direct.run(
    sql`delete from sandbox.webhook_subscriptions where store_id = ${storeId} and topic like 'disputes/%'`
  )
  const before = await shop.access()
  await expire(shop, 'revoke')
  await readShop(shop)
  await until('the refusal is recorded', async () => (await shop.store()).tokenRefusedAt)
  const faults = { unheard: 1, mutations: ['webhookSubscriptionCreate'] }
  await service.sandbox.controls.setAnswerFaults({ storeId, faults })
  const { status, body } = await shop.open()
  assert.deepEqual([status, body.connected_now], [200, true], JSON.stringify(body))
  assert.notEqual((await shop.access()).accessToken, before.accessToken)
  assert.ok((await readShop(shop)).ok)
  assert.equal((await shop.store()).tokenRefusedAt, null)
  const pairs = await db.direct.run(sql`select from sandbox.oauth_tokens where store_id = ${storeId}`)
  assert.equal(pairs, 2)
  assert.deepEqual(await webhooks(), ['disputes/create is missing', 'disputes/update is missing'])

  await service.sandbox.controls.setAnswerFaults({ storeId, faults: null })
  await service.deps.settle(storeId)
  assert.deepEqual(await webhooks(), [])
})

test('the charges that waited for a token are made when the app is opened', async () => {
  const shop = await aShop()
  await shop.open()
  const { storeId } = await shop.store()
  const at = `/stores/store_${storeId}`
  await service.admin('POST', `${at}/plans`, { name: 'VIP', type: 'vip', price: '29.00', interval: 'month' })
  const { id } = await service.admin('POST', `${at}/sandbox/customers`, { email: 'ada@example.com' })
  await service.admin('POST', `${at}/sandbox/joins`, { customer: id, plan: 'VIP' })
  await service.admin('POST', `${at}/clock/advance`, { by: 'P27D' })
  await expire(shop, 'revoke')
  await service.admin('POST', `${at}/clock/advance`, { by: 'P5D' })
  assert.deepEqual(await service.sandbox.controls.charges(storeId), [])
  await shop.open()
  // The clock of the store stands still: nothing else falls due.
  await service.deps.settle(storeId)
  assert.equal((await service.sandbox.controls.charges(storeId)).length, 1)
})

test('what was denied, and what failed for good meanwhile, is done when the scope comes back; a failed message on request too', async () => {
  const shop = await aShop()
  await shop.open()
  const { storeId } = await shop.store()
  const at = `/stores/store_${storeId}`
  await service.admin('POST', `${at}/plans`, { name: 'VIP', type: 'vip', price: '29.00', interval: 'month' })
  const { id } = await service.admin('POST', `${at}/sandbox/customers`, { email: 'ada@example.com' })
  await service.admin('POST', `${at}/sandbox/joins`, { customer: id, plan: 'VIP' })
  const access = (without: string[]) => service.admin('POST', `${at}/sandbox/access`, { without })
  const states = async () =>
    (
      await db.inStore(storeId, ({ tx }) =>
        tx.many(
          row({ status: text }),
          sql`select status from inbound_webhooks where store_id = ${storeId} and webhook_id like 'w-%' order by webhook_id`
        )
      )
    ).map(({ status }) => status)
  const fail = () =>
    db.inStore(storeId, ({ tx, now }) =>
      tx.run(sql`
        insert into inbound_webhooks (store_id, webhook_id, topic, body, received_at, run_at, status, attempts, last_error)
        values (${storeId}, 'w-1', 'customers/update', '{"id":1}', ${now}, ${now}, 'failed', 20, 'It was denied'),
               (${storeId}, 'w-2', 'customers/update', '{"id":2}', ${now}, ${now.add({ hours: 6 })}, 'waiting', 5, 'It was denied')
        on conflict (store_id, webhook_id) do update
           set status = excluded.status, attempts = excluded.attempts, run_at = excluded.run_at`)
    )

  await access(['write_own_subscription_contracts', 'read_own_subscription_contracts'])
  await service.admin('POST', `${at}/clock/advance`, { by: 'P1M20D' })
  assert.deepEqual(await service.sandbox.controls.charges(storeId), [])
  const { problems } = await service.admin('GET', `/status?store=${shop.domain}`)
  const pending = problems.find(({ kind }: { kind: string }) => kind === 'charges_pending')
  assert.match(pending.message, /more than a week: as far as is known, the platform has not received it$/)
  await fail()
  await access([])
  // The clock of the store stands still: nothing else falls due.
  await service.deps.settle(storeId)
  assert.equal((await service.sandbox.controls.charges(storeId)).length, 1)
  assert.deepEqual(await states(), ['done', 'done'])

  await fail()
  assert.deepEqual(await service.admin('POST', `${at}/platform/check`, {}), { changed: 0, messages_retried: 2 })
  await service.deps.settle(storeId)
  assert.deepEqual(await states(), ['done', 'done'])
})

test('a pause that could not be written is on the platform when the scopes come back: its contract, tag and metafield', async () => {
  const shop = await aShop()
  await shop.open()
  const { storeId } = await shop.store()
  const at = `/stores/store_${storeId}`
  await service.admin('POST', `${at}/plans`, { name: 'VIP', type: 'vip', price: '29.00', interval: 'month' })
  const { id } = await service.admin('POST', `${at}/sandbox/customers`, { email: 'ada@example.com' })
  await service.admin('POST', `${at}/sandbox/joins`, { customer: id, plan: 'VIP' })
  await service.deps.settle(storeId)
  const there = async () => {
    const [found] = await service.sandboxDb.inStore(storeId, ({ tx }) =>
      tx.many(
        row({ status: text, tags: text, value: text }),
        sql`
        select c.status, (select array_to_string(tags, ',') from sandbox.customers where store_id = ${storeId} and id = ${id}::bigint) as tags,
               (select value from sandbox.metafields
                 where store_id = ${storeId} and owner_type = 'Customer' and key = 'customer_subscription1') as value
          from sandbox.contracts c where c.store_id = ${storeId}`
      )
    )
    return [found!.status, found!.tags, JSON.parse(found!.value).status]
  }
  assert.deepEqual(await there(), ['ACTIVE', 'SVC: VIP: Active', 'ACTIVE'])
  const access = (without: string[]) => service.admin('POST', `${at}/sandbox/access`, { without })
  await access(['write_own_subscription_contracts', 'write_customers'])
  await service.deps.settle(storeId)
  const [{ id: subscription }] = (await service.admin('GET', `${at}/subscriptions`)).data
  await service.admin('POST', `${at}/subscriptions/${subscription}/pause`, {})
  await service.deps.settle(storeId)
  assert.deepEqual(await there(), ['ACTIVE', 'SVC: VIP: Active', 'ACTIVE'])
  await access([])
  // The clock of the store stands still: nothing else falls due.
  await service.deps.settle(storeId)
  assert.deepEqual(await there(), ['PAUSED', '', 'PAUSED'])
})

test('what the app was not allowed to read is read in when opening it brings the scope', async () => {
  const shop = await aShop()
  await shop.open()
  const { storeId } = await shop.store()
  const scopes = (await service.admin('GET', `/stores/store_${storeId}/platform`)).scopes.map(({ scope }: any) => scope)
  const all = scopes.filter((scope: string) => scope !== 'read_all_orders')
  const denied = all.filter((scope: string) => !scope.endsWith('_customers'))
  await service.sandbox.controls.changeScopes(storeId, denied)
  await service.deps.settle(storeId)
  await db.inStore(storeId, ({ tx }) =>
    tx.run(sql`insert into read_ins (store_id, part, phase) values (${storeId}, 'customers', 'failed')`)
  )
  const phase = () =>
    db.inStore(storeId, ({ tx }) =>
      tx.one(row({ phase: text }), sql`select phase from read_ins where store_id = ${storeId} and part = 'customers'`)
    )
  // Its message has not come yet.
  await service.sandbox.controls.setAccess({ storeId, scopes: all })
  const { body } = await shop.open()
  assert.equal(body.connected_now, true, JSON.stringify(body))
  assert.deepEqual(await phase(), { phase: 'start' })
})

test('a session token of one platform shows nothing of a store of the same domain on another', async () => {
  const shop = await aShop()
  await shop.open()
  const { storeId } = await shop.store()
  const { accessToken } = await shop.access()
  await db.inStore(storeId, ({ tx }) =>
    tx.run(sql`update stores set platform_profile = 'shopify', sandbox = false where store_id = ${storeId}`)
  )
  const { status, body } = await shop.open()
  assert.equal(status, 400)
  assert.deepEqual(body, {
    error: {
      code: 'invalid_request',
      message: `There already is a store ${shop.domain} on another platform (shopify)`
    }
  })
  assert.equal((await shop.access()).accessToken, accessToken)
})
