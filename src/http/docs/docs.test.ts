import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testDatabase } from '../../../test/database.ts'
import { testServer } from '../test-server.ts'

const { db } = await testDatabase()

test('the address alone leads to the docs', async () => {
  const { app } = testServer(db)
  const { statusCode, headers } = await app.inject('/')
  assert.equal(statusCode, 302)
  assert.equal(headers.location, '/docs')
})

test('the docs tell every route of the direct API, with its scope, what it takes and what it answers', async () => {
  const { app } = testServer(db)
  const { statusCode, headers, body } = await app.inject('/docs')
  assert.equal(statusCode, 200)
  assert.equal(headers['content-type'], 'text/html; charset=utf-8')
  assert.deepEqual(
    [...body.matchAll(/<h2><code>(.*?)<\/code><\/h2>\n<p>Scope: <code>(.*?)<\/code>/g)].map(([, name, scope]) => [
      name,
      scope
    ]),
    [
      ['GET /v1/members', 'read:members'],
      ['GET /v1/members/{id}', 'read:members'],
      ['GET /v1/subscriptions', 'read:subscriptions'],
      ['GET /v1/subscriptions/{id}', 'read:subscriptions'],
      ['GET /v1/billing-attempts', 'read:billing']
    ]
  )
  for (const row of [
    '<td><code>created_after</code></td><td>an ISO date such as 2026-01-31, or a date-time such as 2026-01-31T12:00:00Z</td>',
    '<td><code>status</code></td><td>&#34;active&#34;, &#34;paused&#34; or &#34;cancelled&#34;</td>',
    '<td><code>customer.email</code></td><td>string or null</td>',
    '<td><code>order</code></td><td>object or null</td>',
    '<td><code>order.order_number</code></td><td>string or null</td>',
    '<td><code>meta.has_more</code></td><td>boolean</td>',
    '<td>403 <code>forbidden</code></td>',
    '<td>429 <code>rate_limited</code></td>',
    '<td><code>enterprise</code></td><td>300</td><td>unlimited</td>'
  ]) {
    assert.ok(body.includes(row), row)
  }
})

test('the docs show the limits that hold, and the address by which they were asked for', async () => {
  const budget = { perMinute: 7, perDay: 70 }
  const { app } = testServer(db, { budgets: { starter: budget, growth: budget, enterprise: budget } })
  const { body } = await app.inject({ url: '/docs', headers: { host: 'api.example.com"><script>' } })
  assert.ok(body.includes('<td><code>starter</code></td><td>7</td><td>70</td>'))
  assert.ok(body.includes('http://api.example.com&#34;&#62;&#60;script&#62;/v1/members?limit=2'))
  assert.ok(!body.includes('<script'))
})

test('the docs ask no other host for anything and run no script', async () => {
  const { app } = testServer(db)
  const { headers, body } = await app.inject({ url: '/docs', headers: { host: 'here' } })
  assert.match(String(headers['content-security-policy']), /^default-src 'none'; style-src 'self';/)
  for (const [, target = ''] of body.matchAll(/(?:href|src)="(.*?)"/g))
    assert.match(target, /^(#|\/docs\/style\.css$|data:,$)/)
  const css = await app.inject('/docs/style.css')
  assert.equal(css.headers['content-type'], 'text/css; charset=utf-8')
  assert.doesNotMatch(css.body, /url\(|@import/)
})

test('every link within the docs has its place', async () => {
  const { app } = testServer(db)
  const { body } = await app.inject('/docs')
  const targets = [...body.matchAll(/href="#(.*?)"/g)].map(([, id = '']) => id)
  assert.equal(targets.length, 10)
  for (const id of targets) assert.ok(body.includes(` id="${id}"`), id)
})
