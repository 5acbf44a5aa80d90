// Every response over HTTP, of the service and of its sandbox, says what a browser and a cache may do with it.
import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { test } from 'node:test'
import { testDatabase } from './database.ts'
import { OPERATOR_TOKEN, startService } from './service-builder.ts'

const { url } = await testDatabase()
const service = await startService(url, { trustedProxies: ['127.0.0.1'] })
const store = await service.aStore()
const { customer } = await store.member('ada@example.com')

type Call = { method?: string; url: string; headers?: Record<string, string>; body?: string }

async function check(
  { method = 'GET', url, headers = {}, body }: Call,
  wanted: RegExp = /^no-store$/
): Promise<number> {
  const response = await fetch(url, { method, headers, body, redirect: 'manual' })
  await response.arrayBuffer()
  const what = `${method} ${url} ${response.status}`
  assert.equal(response.headers.get('x-content-type-options'), 'nosniff', what)
  assert.equal(response.headers.get('referrer-policy'), 'same-origin', what)
  assert.match(response.headers.get('cache-control') ?? '', wanted, what)
  return response.status
}

/** Bytes that are no HTTP. */
async function checkBroken(url: string) {
  const { port } = new URL(url)
  const socket = connect(Number(port), '127.0.0.1')
  socket.write('this is not http\r\n\r\n')
  let came = ''
  for await (const chunk of socket) came += chunk
  assert.match(came, /^HTTP\/1\.1 400/)
  for (const line of ['x-content-type-options: nosniff', 'referrer-policy: same-origin', 'cache-control: no-store']) {
    assert.ok(came.toLowerCase().includes(`\r\n${line}\r\n`), line)
  }
}

const operator = { authorization: `Bearer ${OPERATOR_TOKEN}` }

for (const [document, prefix, credential] of [
  ['/openapi.json', '/v1', { authorization: `Bearer ${store.key}` }],
  ['/openapi/storefront.json', '/apps/svc-api/v1', {}],
  ['/openapi/data.json', '/apps/svc-api/v1', {}],
  ['/openapi/collection.json', '/apps/svc-api/v1', {}],
  ['/admin/api/openapi.json', '/admin/api', operator]
] as [string, string, Record<string, string>][]) {
  test(`every operation of ${document}, with a credential and without`, async () => {
    const { paths } = (await (await fetch(service.url + document, { headers: operator })).json()) as {
      paths: Record<string, Record<string, unknown>>
    }
    const statuses = new Set<number>()
    let n = 0
    for (const [path, operations] of Object.entries(paths)) {
      for (const method of Object.keys(operations).filter((name) => /^(get|post|put|patch|delete)$/.test(name))) {
        const call = { method: method.toUpperCase(), url: service.url + prefix + path.replaceAll(/\{\w+\}/g, '7') }
        // A strange field is refused before anything is done.
        const body = method === 'get' ? {} : { body: '{"strange":1}', headers: { 'content-type': 'application/json' } }
        // Each from an address of its own, since wrong credentials are counted by address.
        const from = { 'x-forwarded-for': `203.0.113.${n++ % 250}` }
        for (const headers of [credential, {}]) {
          statuses.add(await check({ ...call, ...body, headers: { ...body.headers, ...from, ...headers } }))
        }
      }
    }
    assert.ok(statuses.has(401), [...statuses].join())
  })
}

test('the documents, health, metrics, redirects, errors and what is no HTTP', async () => {
  for (const path of [
    '/docs',
    '/docs/style.css',
    '/openapi.json',
    '/openapi/storefront.json',
    '/openapi/data.json',
    '/openapi/collection.json'
  ]) {
    assert.equal(await check({ url: service.url + path }, /^no-cache$/), 200, path)
  }
  const file = `${service.url}/apps/svc-api/v1/storefront/perennial-cancel.js`
  assert.equal(await check({ url: file }, /^public, max-age=300$/), 302)
  assert.equal(await check({ url: (await fetch(file)).url }, /^public, max-age=31536000, immutable$/), 200)
  const page = await fetch(`${service.url}/admin`)
  const script = /src="([^"]+\.js)"/.exec(await page.text())![1]!
  assert.equal(await check({ url: service.url + script }, /^public, max-age=31536000, immutable$/), 200)
  for (const [path, status] of [
    ['/admin', 200],
    ['/admin/stores/store_1', 200],
    ['/admin/assets/nothing.js', 404],
    ['/apps/svc-api/v1/storefront/nothing.js', 404],
    ['/', 302],
    ['/livez', 200],
    ['/readyz', 200],
    ['/metrics', 200],
    ['/nothing', 404],
    ['/%zz', 400],
    ['/v1/%ff', 401],
    ['/platform/webhooks', 404]
  ] as const) {
    assert.equal(await check({ url: service.url + path }), status, path)
  }
  assert.equal(await check({ method: 'POST', url: `${service.url}/platform/webhooks`, body: '{}' }), 401)
  await checkBroken(service.url)
})

test("the sandbox's storefront, its Admin API, its list of shops and its errors", async () => {
  const shop = `${service.urls.sandbox}/${store.domain}`
  const form = { 'content-type': 'application/x-www-form-urlencoded' }
  for (const [call, status] of [
    [{ url: `${service.urls.sandbox}/` }, 200],
    [{ url: `${shop}/` }, 200],
    [{ url: `${shop}/storefront.css` }, 200],
    [{ method: 'POST', url: `${shop}/session`, headers: form, body: `customer=${customer.id}` }, null],
    [
      { method: 'POST', url: `${shop}/session`, headers: { ...form, origin: 'https://else.example' }, body: 'a=b' },
      403
    ],
    [{ method: 'POST', url: `${shop}/admin/api/2026-07/graphql.json`, body: '{}' }, null],
    [{ url: `${shop}/nothing` }, 404],
    [{ url: `${service.urls.sandbox}/no-shop.example/` }, 404],
    [{ url: `${service.urls.sandbox}/%zz` }, 400]
  ] as [Call, number | null][]) {
    const got = await check(call)
    if (status !== null) assert.equal(got, status, call.url)
  }
  await checkBroken(service.urls.sandbox)
})
