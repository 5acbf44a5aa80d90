import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, test } from 'node:test'
import { request } from 'undici'
import { testDatabase } from '../../test/database.ts'
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

/** A browser without scripts: keeps its cookie and follows redirects. */
function browse(shop: TestShop) {
  let cookie = ''
  const go = async (path: string, fields?: Record<string, string>, headers: Record<string, string> = {}) => {
    const response = await request(`${shop.base}${path}`, {
      method: fields ? 'POST' : 'GET',
      headers: {
        ...(cookie && { cookie }),
        ...(fields && { 'content-type': 'application/x-www-form-urlencoded' }),
        ...headers
      },
      body: fields && new URLSearchParams(fields).toString()
    })
    const set = response.headers['set-cookie']
    if (typeof set === 'string') cookie = set.split(';')[0]!
    const text = await response.body.text()
    if (response.statusCode === 303) return go('/')
    return { status: response.statusCode, text, headers: response.headers }
  }
  return { go, setCookie: (value: string) => (cookie = value), cookie: () => cookie }
}

test('a customer logs in, joins, sets the card, and cancels through the app', async () => {
  const app = await anApp(() => ({ status: 200, body: { status: 'cancelled' } }))
  const shop = await aShop({ appProxyUrl: app.url })
  const { go } = browse(shop)
  assert.match((await go('/')).text, /sells no membership yet/)
  await shop.aPlan()
  const visitor = await go('/')
  assert.match(visitor.text, /Log in to join/)
  assert.match(visitor.text, /Saturday, 31 January 2026 at 10:00/)
  assert.match(String(visitor.headers['content-security-policy']), /default-src 'none'/)

  const home = await go('/session', { email: 'ada@example.com', first_name: '<b>Ada</b>', last_name: '' })
  assert.match(home.text, /Hello, &lt;b&gt;Ada&lt;\/b&gt;/)
  assert.match(home.text, /You have no membership yet/)
  const planId = /name="plan" value="(\d+)"/.exec(home.text)![1]!
  const joined = await go('/join', { plan: planId })
  const contractId = /contract (\d+)/.exec(joined.text)![1]!
  assert.match(joined.text, /28 February 2026/)
  assert.match((await go('/card', { outcome: 'expired_card' })).text, /value="expired_card" selected/)
  assert.match((await go('/join', { plan: planId })).text, /The checkout was declined/)

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
  other.setCookie(ada.cookie())
  assert.match((await other.go('/')).text, /Log in as a test customer/)
  assert.equal((await other.go('/join', { plan: 'VIP' })).status, 422)
  assert.equal((await ada.go('/session', { customer: '1' })).status, 404)
  assert.equal((await ada.go('/session', { email: 'nobody' })).status, 422)
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

test('the address without a shop lists the shops', async () => {
  await aShop({ domain: 'listed.test' })
  const { statusCode, body } = await request(`${origin}/`)
  assert.equal(statusCode, 200)
  assert.match(await body.text(), /<a href="\/listed\.test\/">Corner shop<\/a>/)
  assert.equal((await request(`${origin}/favicon.ico`)).statusCode, 404)
})

test('a challenged payment is confirmed on its page only once', async () => {
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
  const { go } = browse(shop)
  assert.match((await go(path)).text, /\$29\.00/)
  assert.match((await go(path, { decision: 'confirmed' })).text, /The payment is confirmed/)
  assert.match((await go(path, { decision: 'refused' })).text, /not waiting for a decision/)
  assert.match((await go(path)).text, /has been decided/)
  assert.equal((await go('/challenges/none')).status, 404)
})

test('no request of this file caused an internal error', () => assert.deepEqual(bugs, []))
