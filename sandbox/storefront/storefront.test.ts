import assert from 'node:assert/strict'
import { createServer, type IncomingHttpHeaders, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { after, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { Agent, request } from 'undici'
import { sql } from '#kit/postgres'
import { testDatabase } from '../../test/database.ts'
import { until } from '../../test/until.ts'
import { declineOf, OUTCOMES } from '../billing/outcomes.ts'
import { forwardToApp } from '../proxy/forward.ts'
import { signedQuery, signQuery } from '../proxy/sign.ts'
import { startSandbox, type TestShop } from '../start-sandbox.test-helper.ts'

const { db } = await testDatabase()
const { aShop, bugs, origin } = await startSandbox(db)

test("proxied requests have the signatures of the platform's published examples", () => {
  const shop = 'shop=shop-name.myshopify.com'
  const rest = 'path_prefix=%2Fapps%2Fawesome_reviews&timestamp=1317327555'
  const vectors = [
    [
      `extra=1&extra=2&${shop}&logged_in_customer_id=1&${rest}`,
      '4c68c8624d737112c91818c11017d24d334b524cb5c2b8ba08daa056f7395ddb'
    ],
    [
      `extra=1&extra=2&${shop}&logged_in_customer_id=&${rest}`,
      'e072b6d7e6622d85912a5214b860d3100dc1e73d9bc29f43796ac8c9ff8093cb'
    ],
    [`extra=1&extra=2&${shop}&${rest}`, 'a9718877bea71c2484f91608a7eaea1532bdf71f5c56825065fa4ccabe549ef3']
  ] as const
  for (const [query, signature] of vectors) assert.equal(signQuery(new URLSearchParams(query), 'hush'), signature)
})

test("a visitor's own proxy parameters are replaced before signing", () => {
  const from = {
    shop: 'a.test',
    loggedInCustomerId: null,
    pathPrefix: '/apps/svc-api',
    now: Temporal.Instant.from('2026-01-01T00:00:00.9Z')
  }
  const signed = signedQuery(
    new URLSearchParams('shop=b.test&logged_in_customer_id=7&signature=x&page=2'),
    from,
    'hush'
  )
  assert.deepEqual(
    [...signed].filter(([name]) => name !== 'signature'),
    [
      ['shop', 'a.test'],
      ['logged_in_customer_id', ''],
      ['page', '2'],
      ['path_prefix', '/apps/svc-api'],
      ['timestamp', '1767225600']
    ]
  )
  assert.equal(signed.get('signature'), signQuery(signed, 'hush'))
})

type ReceivedRequest = { method: string; path: string; query: URLSearchParams; type: string | undefined; body: string }

/** An app behind the proxy. */
async function anApp(respond: (request: ReceivedRequest) => { status: number; body: object }) {
  const requests: ReceivedRequest[] = []
  const server = createServer((incoming, outgoing) => {
    const parts: Buffer[] = []
    incoming.on('data', (part) => parts.push(part))
    incoming.on('end', () => {
      const url = new URL(incoming.url!, 'http://app')
      const one = {
        method: incoming.method!,
        path: url.pathname,
        query: url.searchParams,
        type: incoming.headers['content-type'],
        body: Buffer.concat(parts).toString()
      }
      requests.push(one)
      const { status, body } = respond(one)
      outgoing.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  after(() => void server.close())
  return { requests, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/apps/svc-api` }
}

/** A browser without scripts: keeps its cookies and follows redirects. `post` shows the response to a form itself. */
function browse(shop: TestShop) {
  const cookies = new Map<string, string>()
  const ask = async (path: string, fields?: Record<string, string>, headers: Record<string, string> = {}) => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const response = await request(`${shop.base}${path}`, {
      method: fields ? 'POST' : 'GET',
      headers: {
        ...(cookie && { cookie }),
        ...(fields && { 'content-type': 'application/x-www-form-urlencoded' }),
        ...headers
      },
      body: fields && new URLSearchParams(fields).toString()
    })
    for (const set of [response.headers['set-cookie'] ?? []].flat()) {
      const [, name, value, rest] = /^([^=]+)=([^;]*)(.*)$/.exec(set)!
      if (/Max-Age=0/.test(rest!)) cookies.delete(name!)
      else cookies.set(name!, value!)
    }
    return { status: response.statusCode, text: await response.body.text(), headers: response.headers }
  }
  const to = (headers: { location?: string | string[] }) =>
    String(headers.location).slice(`/${shop.shop.domain}`.length)
  const go: typeof ask = async (path, fields, headers) => {
    const response = await ask(path, fields, headers)
    return response.status === 303 ? go(to(response.headers)) : response
  }
  const post = async (path: string, fields: Record<string, string>) => {
    const { status, headers } = await ask(path, fields)
    return { status, to: to(headers) }
  }
  return { go, post, cookies }
}

/** A customer who is logged in at a shop with the plan VIP. */
async function aVisit() {
  const shop = await aShop()
  await shop.aPlan()
  const { id } = await shop.aCustomer()
  const browser = browse(shop)
  const home = await browser.go('/session', { customer: id })
  const plan = /name="plan" value="(\d+)"/.exec(home.text)![1]!
  const contracts = async () => (await shop.sandbox.controls.counts(shop.storeId)).contracts
  return { shop, customerId: id, plan, contracts, ...browser }
}

test('a customer logs in, joins, sets the card, and cancels through the app', async () => {
  const app = await anApp(() => ({ status: 200, body: { status: 'cancelled' } }))
  const shop = await aShop({ appProxyUrl: app.url })
  const { go } = browse(shop)
  assert.match((await go('/')).text, /sells no membership yet/)
  await shop.aPlan()
  const visitor = await go('/')
  assert.match(visitor.text, /Log in to join/)
  assert.match(visitor.text, /January 31, 2026 at 10:00\sAM/)
  assert.match(String(visitor.headers['content-security-policy']), /default-src 'none'/)

  const home = await go('/session', { email: 'ada@example.com', first_name: '<b>Ada</b>', last_name: '' })
  assert.match(home.text, /Hello, &lt;b&gt;Ada&lt;\/b&gt;/)
  assert.match(home.text, /You have no membership yet/)
  const planId = /name="plan" value="(\d+)"/.exec(home.text)![1]!
  const joined = await go('/join', { plan: planId })
  const contractId = /contract (\d+)/.exec(joined.text)![1]!
  assert.match(joined.text, /February 28, 2026/)
  assert.match((await go('/card', { outcome: 'expired_card' })).text, /value="expired_card" selected/)

  const cancelled = await go(`/memberships/${contractId}/cancel`, { reason: 'too_expensive', comment: 'Dear' })
  assert.match(cancelled.text, /Your membership is cancelled/)
  const [requested] = app.requests
  assert.equal(requested!.path, `/apps/svc-api/v1/membership/churn/${contractId}/cancellation`)
  assert.deepEqual(
    [requested!.method, requested!.type, JSON.parse(requested!.body)],
    ['POST', 'application/json', { reason: 'too_expensive', comment: 'Dear' }]
  )
  assert.equal(requested!.query.get('signature'), signQuery(requested!.query, shop.shop.proxySecret))
  assert.match(requested!.query.get('logged_in_customer_id')!, /^\d+$/)
  assert.match((await go('/session/end', {})).text, /Log in as a test customer/)
})

test('the page shows a refusal of the app, and that the app is unreachable', async () => {
  const app = await anApp(() => ({ status: 403, body: { message: 'This contract is not yours.' } }))
  const shop = await aShop({ appProxyUrl: app.url })
  const { go } = browse(shop)
  await go('/session', { email: 'ada@example.com' })
  const refused = await go('/memberships/1/cancel', { reason: 'other' })
  assert.match(refused.text, /refused \(403\)/)
  assert.match(refused.text, /This contract is not yours/)
  const alone = browse(await aShop())
  await alone.go('/session', { email: 'ada@example.com' })
  assert.match((await alone.go('/memberships/1/cancel', {})).text, /does not answer/)
})

test("forms of other sites and other shops' cookies are refused", async () => {
  const shop = await aShop()
  const { id } = await shop.aCustomer()
  const ada = browse(shop)
  assert.equal((await ada.go('/session', { customer: id }, { origin: 'https://evil.example' })).status, 403)
  assert.equal((await ada.go('/session', { customer: id }, { 'sec-fetch-site': 'cross-site' })).status, 403)
  const home = await ada.go('/session', { customer: id })
  assert.match(home.text, /Hello, Ada/)
  const other = browse(await aShop())
  for (const [name, value] of ada.cookies) other.cookies.set(name, value)
  assert.match((await other.go('/')).text, /Log in as a test customer/)
  assert.match((await other.go('/join', { plan: 'VIP' })).text, /role="alert">\s*<h2>Log in first/)
  assert.match((await ada.go('/session', { customer: '1' })).text, /There is no such customer/)
  assert.match((await ada.go('/session', { email: 'nobody' })).text, /e-?mail/i)
})

test('the proxy forwards method, body and response', async () => {
  const app = await anApp(({ body }) => ({ status: 422, body: { got: body } }))
  const shop = await aShop({ appProxyUrl: app.url })
  const response = await request(`${shop.base}/apps/svc-api/v1/loyalty/x?a=1&a=2&signature=forged`, {
    method: 'PUT',
    headers: { 'content-type': 'text/plain' },
    body: 'hello'
  })
  assert.deepEqual([response.statusCode, await response.body.json()], [422, { got: 'hello' }])
  const [requested] = app.requests
  assert.deepEqual(
    [requested!.method, requested!.type, requested!.query.getAll('a')],
    ['PUT', 'text/plain', ['1', '2']]
  )
  assert.equal(requested!.query.get('shop'), shop.shop.domain)
  assert.equal(requested!.query.get('timestamp'), String(shop.now.epochMilliseconds / 1000))
  assert.equal(requested!.query.get('signature'), signQuery(requested!.query, shop.shop.proxySecret))
  const without = await request(`${(await aShop()).base}/apps/svc-api/v1/x`)
  assert.equal(without.statusCode, 502)
})

/** An app that answers by itself. */
async function aRawApp(answer: RequestListener) {
  const server = createServer(answer)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  after(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/apps/svc-api`
}

test('the proxy passes headers on, except for cookies and what belongs to a connection; bytes stay compressed', async () => {
  const received: IncomingHttpHeaders[] = []
  const bytes = gzipSync('{"data":[]}')
  const shop = await aShop({
    appProxyUrl: await aRawApp((incoming, outgoing) => {
      received.push(incoming.headers)
      outgoing.writeHead(200, {
        'content-type': 'application/json',
        'content-encoding': 'gzip',
        'set-cookie': 'app=1',
        deprecation: '@1767225600',
        'retry-after': '7',
        'x-ratelimit-limit': '60'
      })
      outgoing.end(bytes)
    })
  })
  const { headers, body } = await request(`${shop.base}/apps/svc-api/v1/data/members`, {
    headers: { cookie: 'a=b', authorization: 'Bearer x', 'accept-encoding': 'gzip', 'x-forwarded-for': '203.0.113.9' }
  })
  assert.ok(Buffer.from(await body.arrayBuffer()).equals(bytes))
  assert.deepEqual(
    ['content-encoding', 'deprecation', 'retry-after', 'x-ratelimit-limit', 'set-cookie'].map((name) => headers[name]),
    ['gzip', '@1767225600', '7', '60', undefined]
  )
  const { cookie, authorization, ...passed } = received[0]!
  assert.deepEqual([cookie, authorization], [undefined, undefined])
  assert.deepEqual(
    [passed['accept-encoding'], passed['x-forwarded-for'], passed['x-forwarded-host']],
    ['gzip', '127.0.0.1', shop.shop.domain]
  )
})

test('the proxy waits for the whole of a response: what is late before it begins is 502, and later breaks off', async () => {
  const agent = new Agent()
  after(() => agent.destroy())
  const shop = await aShop({
    appProxyUrl: await aRawApp((incoming, outgoing) => {
      if (incoming.url!.includes('/begins')) outgoing.write('[1,')
    })
  })
  const ask = (path: string) =>
    forwardToApp(
      agent,
      shop.shop,
      {
        method: 'GET',
        path,
        query: new URLSearchParams(),
        headers: {},
        address: '::1',
        body: null,
        loggedInCustomerId: null
      },
      shop.now,
      300
    )
  assert.equal(await ask('/silent'), null)
  const begun = await ask('/begins')
  assert.equal(begun!.status, 200)
  await assert.rejects(text(begun!.body), { name: 'TimeoutError' })
})

test('a response that breaks off in the app breaks off at the visitor; a visitor who leaves ends the request to the app', async () => {
  const left = Promise.withResolvers<void>()
  const shop = await aShop({
    appProxyUrl: await aRawApp((incoming, outgoing) => {
      outgoing.write('[1,')
      if (incoming.url!.includes('/breaks')) setTimeout(() => outgoing.destroy(), 50)
      else outgoing.once('close', left.resolve)
    })
  })
  const broken = await request(`${shop.base}/apps/svc-api/v1/breaks`)
  assert.equal(broken.statusCode, 200)
  await assert.rejects(broken.body.text())
  const abort = new AbortController()
  const endless = await request(`${shop.base}/apps/svc-api/v1/endless`, { signal: abort.signal })
  abort.abort()
  await assert.rejects(endless.body.text())
  await left.promise
})

test('the address without a shop lists the shops', async () => {
  await aShop({ domain: 'listed.test' })
  const { statusCode, body } = await request(`${origin}/`)
  assert.equal(statusCode, 200)
  assert.match(await body.text(), /<a href="\/listed\.test\/">Corner shop<\/a>/)
  assert.equal((await request(`${origin}/favicon.ico`)).statusCode, 404)
})

test('every form is answered with a redirect, and its notice is shown once', async () => {
  const { go, post, plan, shop } = await aVisit()
  const forms: [path: string, fields: Record<string, string>, notice: RegExp][] = [
    ['/join', { plan }, /Welcome! Your membership has started/],
    ['/join', { plan: '1' }, /There is no plan 1/],
    ['/card', { outcome: 'expired_card' }, /The card is set/],
    ['/card', { outcome: 'magic' }, /must be one of/],
    ['/memberships/1/cancel', { reason: 'other' }, /does not answer/],
    ['/session/end', {}, /Log in as a test customer/]
  ]
  for (const [path, fields, notice] of forms) {
    assert.deepEqual(await post(path, fields), { status: 303, to: '/' }, path)
    assert.match((await go('/')).text, notice, path)
    assert.doesNotMatch((await go('/')).text, /class="notice/, path)
  }
  assert.equal((await request(`${shop.base}/session`)).statusCode, 404)
})

test('a notice of another shop, or one that was changed, is not shown', async () => {
  const { post, cookies } = await aVisit()
  await post('/card', { outcome: 'success' })
  const notice = cookies.get('storefront_notice')!
  const other = browse(await aShop())
  other.cookies.set('storefront_notice', notice)
  assert.doesNotMatch((await other.go('/')).text, /class="notice/)
  const [value, signature] = notice.split('.')
  const forged = Buffer.from(JSON.stringify({ kind: 'done', title: 'Forged' })).toString('base64url')
  assert.notEqual(forged, value)
  cookies.set('storefront_notice', `${forged}.${signature}`)
  assert.doesNotMatch((await other.go('/')).text, /Forged/)
})

test('a customer cannot join a plan twice, also not at once; after a cancellation it is offered again', async () => {
  const { shop, go, post, plan, contracts } = await aVisit()
  // Both are held up when they number their orders, which is after they have looked for a membership.
  const watching = await db.session()
  await watching.query('begin')
  await watching.query('select from sandbox.shops where store_id = $1 for update', [shop.storeId])
  const both = [post('/join', { plan }), post('/join', { plan })]
  await watching.query('reset role')
  await until('both wait', async () => {
    // A transaction goes on to see the activity that it saw first.
    await watching.query('select pg_stat_clear_snapshot()')
    const { rows } = await watching.query(
      "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'"
    )
    return rows.length === 2
  })
  await watching.query('commit')
  await watching.end()
  const all = await Promise.all(both)
  assert.ok(all.every(({ status }) => status === 303))
  assert.equal(await contracts(), 1)
  const home = await go('/')
  assert.match(home.text, /You have this membership/)
  assert.doesNotMatch(home.text, /name="plan"/)
  assert.match((await go('/join', { plan })).text, /You already have VIP \(contract \d+\): nothing was charged/)
  assert.equal(await contracts(), 1)
  // What the app does when the customer cancels.
  const id = /<dt>Contract<\/dt><dd>(\d+)/.exec(home.text)![1]!
  await db.inInstallation((tx) =>
    tx.run(sql`update sandbox.contracts set status = 'CANCELLED' where store_id = ${shop.storeId} and id = ${id}`)
  )
  assert.match((await go('/')).text, /Join VIP/)
  assert.match((await go('/join', { plan })).text, /Welcome!/)
  assert.equal(await contracts(), 2)
})

test('a declined card at the checkout charges nothing and says so', async () => {
  const { go, plan, contracts } = await aVisit()
  await go('/card', { outcome: 'expired_card' })
  assert.match((await go('/join', { plan })).text, /The checkout was declined/)
  assert.equal(await contracts(), 0)
})

test('a checkout with a 3-D Secure card starts the membership when the customer confirms it, once', async () => {
  const { go, post, plan, contracts } = await aVisit()
  await go('/card', { outcome: '3ds' })
  const { status, to } = await post('/join', { plan })
  assert.equal(status, 303)
  assert.match(to, /^\/challenges\//)
  const asked = await go(to)
  assert.match(asked.text, /\$29\.00/)
  assert.match(asked.text, /for your new membership/)
  assert.equal(await contracts(), 0)

  const answers = await Promise.all([1, 2].map(() => post(to, { decision: 'confirmed' })))
  assert.deepEqual(answers, [
    { status: 303, to },
    { status: 303, to }
  ])
  const result = await go(to)
  assert.match(result.text, /The payment is confirmed/)
  assert.match(result.text, /Welcome! Your membership has started \(contract \d+\)/)
  assert.doesNotMatch((await go(to)).text, /<button name="decision"/)
  assert.equal(await contracts(), 1)
  assert.match((await go('/')).text, /You have this membership/)
})

test('a checkout that is refused at the bank, or confirmed too late, charges nothing and says so', async () => {
  const { shop, go, post, plan, contracts } = await aVisit()
  await go('/card', { outcome: '3ds' })
  const refused = (await post('/join', { plan })).to
  assert.match((await go(refused, { decision: 'refused' })).text, /Nothing was charged, and no membership has started/)
  assert.match((await go(refused, { decision: 'confirmed' })).text, /not waiting for a decision/)
  const late = (await post('/join', { plan })).to
  shop.advance({ minutes: 31 })
  assert.match((await go(late, { decision: 'confirmed' })).text, /not confirmed in time/)
  assert.equal(await contracts(), 0)
})

test('the account page leads back to an open checkout, and says when it has expired, until the plan is joined', async () => {
  const { shop, go, post, plan, contracts } = await aVisit()
  await go('/card', { outcome: '3ds' })
  assert.doesNotMatch((await go('/')).text, /checkout|in time/)
  const { to } = await post('/join', { plan })
  const open = (await go('/')).text
  assert.match(open, /Your checkout waits for your bank[\s\S]*VIP, \$29\.00: nothing is charged until you confirm/)
  assert.ok(open.includes(`href="/${shop.shop.domain}${to}"`), open)
  shop.advance({ minutes: 31 })
  const expired = (await go('/')).text
  assert.match(expired, /The payment was not confirmed in time[\s\S]*nothing was charged/)
  assert.ok(!expired.includes(to))
  const page = (await go(to)).text
  assert.match(page, /The payment was not confirmed in time/)
  assert.doesNotMatch(page, /<button name="decision"/)

  const again = (await post('/join', { plan })).to
  assert.ok((await go('/')).text.includes(again))
  await go(again, { decision: 'confirmed' })
  assert.equal(await contracts(), 1)
  assert.doesNotMatch((await go('/')).text, /waits for your bank|in time/)
  await post(`/join`, { plan })
  shop.advance({ minutes: 60 * 25 })
  assert.doesNotMatch((await go('/')).text, /in time/)
})

test('of two open checkouts of one plan only one starts a membership', async () => {
  const { go, post, plan, contracts } = await aVisit()
  await go('/card', { outcome: '3ds' })
  const [first, second] = [(await post('/join', { plan })).to, (await post('/join', { plan })).to]
  await go(first, { decision: 'confirmed' })
  assert.match((await go(second, { decision: 'confirmed' })).text, /You already have VIP/)
  assert.match((await go(second)).text, /Nothing was charged/)
  assert.equal(await contracts(), 1)
})

test('an answer to the bank that neither confirms nor refuses decides nothing', async () => {
  const { go, post, plan, contracts } = await aVisit()
  await go('/card', { outcome: '3ds' })
  const { to } = await post('/join', { plan })
  for (const fields of [{}, { answer: 'confirm' }, { decision: 'yes' }] as Record<string, string>[]) {
    assert.match((await go(to, fields)).text, /Confirm the payment, or refuse it/)
  }
  assert.equal(await contracts(), 0)
  assert.match((await go(to, { decision: 'confirmed' })).text, /The payment is confirmed/)
  assert.equal(await contracts(), 1)
})

test('each of the choices of a card has words of its own', async () => {
  const { go } = await aVisit()
  const card = (await go('/')).text
  const options = [...card.matchAll(/<option value="(\w+)" *(?:selected)?>([^<]*)</g)].map(([, value, words]) => [
    value,
    words
  ])
  const notDeclined = OUTCOMES.filter((outcome) => !declineOf(outcome))
  for (const outcome of notDeclined) {
    const words = options.find(([value]) => value === outcome)?.[1]
    assert.match(words ?? '', /^\S+( \S+)+$/, outcome)
    assert.notEqual(words, outcome.replaceAll('_', ' '))
  }
  assert.equal(new Set(options.map(([, words]) => words)).size, options.length)
})

test('a cancellation right after the checkout waits until the app has heard of the contract', async () => {
  const missing = { status: 404, body: { message: 'There is no contract' } }
  let asked = 0
  const app = await anApp(() => (++asked < 3 ? missing : { status: 200, body: {} }))
  const shop = await aShop({ appProxyUrl: app.url })
  await shop.aPlan()
  const { customer, contractId } = await shop.aMember()
  const { go } = browse(shop)
  await go('/session', { customer: customer.id })
  assert.match(
    (await go(`/memberships/${contractId}/cancel`, { reason: 'other' })).text,
    /Your membership is cancelled/
  )
  assert.equal(asked, 3)

  asked = 0
  assert.match((await go('/memberships/1/cancel', { reason: 'other' })).text, /refused \(404\)/)
  assert.equal(asked, 1, 'the platform has no such contract either')
})

test('a renewal with a 3-D Secure card is confirmed on its page only once', async () => {
  const shop = await aShop()
  await shop.aPlan()
  const { customer, contract } = await shop.aMember()
  await shop.sandbox.controls.setCard({ storeId: shop.storeId, customerId: customer.id, outcome: '3ds' })
  const attempt = (await shop.charge(contract, 1)).data.subscriptionBillingAttemptCreate.subscriptionBillingAttempt
  await shop.settle()
  const { data } = await shop.graphql('query($id: ID!) { subscriptionBillingAttempt(id: $id) { nextActionUrl } }', {
    id: attempt.id
  })
  const path = data.subscriptionBillingAttempt.nextActionUrl.slice(shop.base.length)
  const { go, post } = browse(shop)
  assert.match((await go('/session', { customer: customer.id })).text, new RegExp(`href="[^"]*${path}"`))
  assert.match((await go(path)).text, /\$29\.00/)
  assert.deepEqual(await post(path, { decision: 'confirmed' }), { status: 303, to: path })
  assert.match((await go(path)).text, /The payment is confirmed/)
  assert.match((await go(path, { decision: 'refused' })).text, /not waiting for a decision/)
  assert.match((await go(path)).text, /The payment is confirmed/)
  assert.equal((await go('/challenges/none')).status, 404)
  assert.equal((await go('/challenges/none', { decision: 'confirmed' })).status, 404)
})

test('no request of this file caused an internal error', () => assert.deepEqual(bugs, []))
