import assert from 'node:assert/strict'
import { test } from 'node:test'
import { EVENT_TYPES } from '#webhooks'
import { testDatabase } from '../../../test/database.ts'
import { aStore } from '../../../test/store-builder.ts'
import type { RestDocument } from '../openapi/document-types.ts'
import { testServer } from '../server.test-helper.ts'
import { curl } from './curl.ts'

const { db } = await testDatabase()
const { app, rest } = testServer(db)
const document = (await app.inject('/openapi.json')).json() as RestDocument
const { body: page } = await app.inject({ url: '/docs', headers: { host: 'here' } })

/** The fifteen endpoints of spec 1, under the paths that it gives them, and some of ours beside them. */
const OPERATIONS: [method: string, path: string, id: string, scope: string][] = [
  ['get', '/members', 'listMembers', 'read:members'],
  ['get', '/members/{member_id}', 'getMember', 'read:members'],
  ['patch', '/members/{member_id}', 'updateMember', 'write:members'],
  ['get', '/subscriptions', 'listSubscriptions', 'read:subscriptions'],
  ['get', '/subscriptions/{subscription_id}', 'getSubscription', 'read:subscriptions'],
  ['post', '/subscriptions/{subscription_id}/pause', 'pauseSubscription', 'write:subscriptions'],
  ['post', '/subscriptions/{subscription_id}/resume', 'resumeSubscription', 'write:subscriptions'],
  ['post', '/subscriptions/{subscription_id}/cancel', 'cancelSubscription', 'write:subscriptions'],
  ['post', '/subscriptions/{subscription_id}/reactivate', 'reactivateSubscription', 'write:subscriptions'],
  ['post', '/subscriptions/{subscription_id}/skip', 'skipSubscriptionCycle', 'write:subscriptions'],
  ['patch', '/subscriptions/{subscription_id}', 'changeSubscription', 'write:subscriptions'],
  ['post', '/subscriptions/{subscription_id}/gift', 'giftSubscription', 'write:subscriptions'],
  ['post', '/subscriptions/{subscription_id}/ungift', 'revokeGift', 'write:subscriptions'],
  ['get', '/subscriptions/{subscription_id}/activity', 'listSubscriptionActivity', 'read:subscriptions'],
  ['get', '/billing-attempts', 'listBillingAttempts', 'read:billing'],
  ['post', '/billing-attempts/{attempt_id}/retry', 'retryBillingAttempt', 'write:billing'],
  ['get', '/store-credits/{customer_id}', 'getStoreCredit', 'read:store_credits'],
  ['post', '/store-credits/{customer_id}/add', 'addStoreCredit', 'write:store_credits'],
  ['post', '/store-credits/{customer_id}/deduct', 'deductStoreCredit', 'write:store_credits'],
  ['get', '/store-credits/{customer_id}/history', 'listStoreCreditHistory', 'read:store_credits'],
  ['post', '/loyalty/events', 'reportLoyaltyEvent', 'write:loyalty'],
  ['get', '/analytics/overview', 'getAnalyticsOverview', 'read:analytics']
]

test('the address alone leads to the docs', async () => {
  const { statusCode, headers } = await app.inject('/')
  assert.equal(statusCode, 302)
  assert.equal(headers.location, '/docs')
})

/** Everything that the document describes: method, path, operationId and scope. */
const described = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => [
    method,
    path,
    operation.operationId,
    operation['x-required-scope'] ?? ''
  ])
)

test('the document has the fifteen endpoints of the contract, ours, and the seventeen events', () => {
  const all = new Set(described.map((operation) => operation.join(' ')))
  for (const operation of OPERATIONS) assert.ok(all.has(operation.join(' ')), operation.join(' '))
  assert.deepEqual(Object.keys(document.webhooks), [...EVENT_TYPES])
})

test('the paths of the document work from where it is served, and its headers are on the answers', async () => {
  assert.deepEqual(
    document.servers.map(({ url }) => url),
    ['/v1']
  )
  const store = await aStore(db)
  const { headers } = await rest('/members', await store.aKey())
  const { responses } = document.paths['/members']!.get!
  const declared = Object.keys((responses[200] as { headers: object }).headers)
  assert.deepEqual(declared.length, 4)
  for (const name of declared) assert.ok(headers[name.toLowerCase()], name)
})

test('the page has every operation, with its scope, a request to copy, and its refusals', () => {
  for (const [method = '', path, id = '', scope] of described) {
    const section = page.slice(page.indexOf(`<section id="${id.toLowerCase()}">`)).split('</section>')[0]!
    assert.ok(section.includes(`<b>${method.toUpperCase()}</b> /v1${path}</code>`), id)
    assert.ok(section.includes(`Scope <code>${scope}</code>`), id)
    assert.match(section, /curl (-X (POST|PATCH|DELETE) )?&#34;http:\/\/here\/v1\//, id)
    assert.equal(section.includes('Idempotency-Key'), method !== 'get', id)
    assert.match(section, /<a href="#error-429">429<\/a>/, id)
  }
})

test('the page has parameters, bodies, objects, events, errors and limits', () => {
  for (const markup of [
    '<td><code>limit</code></td><td>query</td><td>Maximum number of objects on the page. Must be an integer from 1 to 100. Default 50.</td>',
    '<td><code>member_id</code> <em>required</em></td><td>path</td><td>Must be a member id.</td>',
    '<td><code>amount</code> <em>required</em></td><td>number</td>',
    '<td><code>customer</code></td><td><a href="#object-customer">Customer</a></td>',
    '<td><code>birth_date</code></td><td>date or null</td>',
    '<td><code>order.order_number</code></td><td>string or null</td>',
    '<td><code>error</code></td><td><a href="#object-decline">Decline</a> or null</td>',
    '<h3>403 <code>forbidden</code></h3>',
    '<h3>429 <code>rate_limited</code></h3>',
    '<td><code>X-Svc-Signature</code></td>',
    '<h3><code>store_credit.added</code></h3>',
    '<td><code>enterprise</code></td><td>300</td><td>unlimited</td>'
  ]) {
    assert.ok(page.includes(markup), markup)
  }
})

test('the page shows the limits in force, and the address at which it was requested', async () => {
  const budget = { perMinute: 7, perDay: 70 }
  const { app } = testServer(db, { budgets: { starter: budget, growth: budget, enterprise: budget } })
  const { body } = await app.inject({ url: '/docs', headers: { host: 'api.example.com"><script>' } })
  assert.ok(body.includes('<td><code>starter</code></td><td>7</td><td>70</td>'))
  assert.ok(body.includes('http://api.example.com&#34;&#62;&#60;script&#62;/v1/members?limit=2'))
  assert.ok(!body.includes('<script'))
})

test('the page asks no other host for anything and runs no script', async () => {
  const { headers } = await app.inject('/docs')
  assert.equal(headers['content-type'], 'text/html; charset=utf-8')
  assert.match(String(headers['content-security-policy']), /^default-src 'none'; style-src 'self';/)
  for (const [, target = ''] of page.matchAll(/(?:href|src)="(.*?)"/g))
    assert.match(target, /^(#|\/docs\/style\.css$|\/openapi\.json$|data:,$)/)
  const css = await app.inject('/docs/style.css')
  assert.equal(css.headers['content-type'], 'text/css; charset=utf-8')
  assert.doesNotMatch(css.body, /url\(|@import/)
})

test('every link within the page has its place, once', () => {
  const ids = [...page.matchAll(/ id="(.*?)"/g)].map(([, id]) => id)
  assert.equal(new Set(ids).size, ids.length)
  const targets = [...page.matchAll(/href="#(.*?)"/g)].map(([, id]) => id)
  assert.ok(targets.length > 60)
  for (const id of targets) assert.ok(ids.includes(id), `#${id}`)
})

test('a request to copy survives the shell: quotes in an example stay what they are', () => {
  const { post } = document.paths['/store-credits/{customer_id}/add']!
  const json = post!.requestBody!.content['application/json']
  const operation = {
    ...post!,
    requestBody: { required: true, content: { 'application/json': { ...json, example: { reason: "It's" } } } }
  }
  assert.equal(
    curl('POST', 'http://here/v1/store-credits/{customer_id}/add', operation),
    [
      'curl -X POST "http://here/v1/store-credits/cust_24/add" \\',
      '  -H "Authorization: Bearer $KEY" \\',
      '  -H "Idempotency-Key: $(uuidgen)" \\',
      '  -H "Content-Type: application/json" \\',
      `  -d '{"reason":"It'\\''s"}'`
    ].join('\n')
  )
})
