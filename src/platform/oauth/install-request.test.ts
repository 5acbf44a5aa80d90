import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { test } from 'node:test'
import { consentUrl, isSignedQuery } from './install-request.ts'

const app = { clientId: 'client', clientSecret: 'the-secret' }
const now = Temporal.Instant.from('2026-11-28T12:00:00Z')
const timestamp = `${now.epochMilliseconds / 1000}`

/** These parameters with the platform's signature over them. */
function signed(parameters: [string, string][], secret = app.clientSecret): URLSearchParams {
  const text = parameters
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`)
    .join('&')
  const hmac = createHmac('sha256', secret).update(text).digest('hex')
  return new URLSearchParams([...parameters, ['hmac', hmac]])
}

test('a query is taken that the platform has signed, whatever its values hold', () => {
  const query = signed([
    ['shop', 'books.myshopify.com'],
    ['code', 'a=b&c d'],
    ['host', 'Ym9va3M='],
    ['timestamp', timestamp]
  ])
  assert.ok(isSignedQuery(query, app, now))
  assert.ok(isSignedQuery(query, app, now.add({ hours: 23 })))
})

test('a query is refused that is changed, signed by another, too old, without a time, or says something twice', () => {
  const parameters: [string, string][] = [
    ['shop', 'books.myshopify.com'],
    ['timestamp', timestamp]
  ]
  const query = signed(parameters)
  const changed = new URLSearchParams(query)
  changed.set('shop', 'other.myshopify.com')
  const unsigned = new URLSearchParams(parameters)
  for (const [what, refused, at] of [
    ['changed', changed, now],
    ['without a signature', unsigned, now],
    ['by another secret', signed(parameters, 'another'), now],
    ['old', query, now.add({ hours: 25 })],
    ['without a time', signed([['shop', 'books.myshopify.com']]), now],
    ['twice', signed([...parameters, ['shop', 'other.myshopify.com']]), now]
  ] as const) {
    assert.ok(!isSignedQuery(refused, app, at), what)
  }
})

test('the page for consent names the app, its scopes, the way back and the state', () => {
  const url = consentUrl('https://books.myshopify.com/', app, {
    scopes: ['read_orders', 'write_orders'],
    redirectUri: 'https://svc.example/app/callback',
    state: 'x'
  })
  assert.equal(
    url,
    'https://books.myshopify.com/admin/oauth/authorize?client_id=client&scope=read_orders%2Cwrite_orders&redirect_uri=https%3A%2F%2Fsvc.example%2Fapp%2Fcallback&state=x'
  )
})
