import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { verifyProxyQuery } from './verify-proxy-query.ts'
import { verifyWebhookSignature } from './verify-webhook-signature.ts'

const fixtures = new URL('../../../test/fixtures/platform/', import.meta.url)
const json = (name: string) => JSON.parse(readFileSync(new URL(name, fixtures), 'utf8'))
const at = (seconds: number) => Temporal.Instant.fromEpochMilliseconds(seconds * 1000)
const SIGNED_AT = 1_317_327_555

type Vector = { name: string; secret: string; query: string; signature: string }
const vectors: Vector[] = json('app-proxy-vectors.json').vectors

for (const { name, secret, query, signature } of vectors) {
  test(`verifies the platform's own vector: ${name}`, () => {
    assert.deepEqual(verifyProxyQuery(`${query}&signature=${signature}`, secret, at(SIGNED_AT)), {
      ok: true,
      shop: 'shop-name.myshopify.com',
      loggedInCustomerId: query.includes('logged_in_customer_id=1') ? '1' : null,
      pathPrefix: '/apps/awesome_reviews'
    })
  })
}

const [{ query, secret, signature }] = vectors as [Vector]
const signed = `${query}&signature=${signature}`
const check = (rawQuery: string, seconds = SIGNED_AT) => verifyProxyQuery(rawQuery, secret, at(seconds))

/** A query with the signature that its canonical text would have. */
function signAs(canonical: string, rawQuery: string) {
  return `${rawQuery}&signature=${createHmac('sha256', secret).update(canonical).digest('hex')}`
}

test('the signature may be anywhere, and the order of parameters does not matter', () => {
  const turned = [`signature=${signature}`, ...query.split('&').reverse().toSorted()].join('&')
  assert.equal(check(turned).ok, true)
})

const refused: [string, string, string, number?][] = [
  ['no signature', query, 'unsigned'],
  ['an empty query', '', 'unsigned'],
  ['a changed value', signed.replace('extra=2', 'extra=3'), 'bad_signature'],
  ['another customer', signed.replace('logged_in_customer_id=1', 'logged_in_customer_id=2'), 'bad_signature'],
  ['an added parameter', `${signed}&key=x`, 'bad_signature'],
  ['a removed parameter', signed.replace('extra=1&', ''), 'bad_signature'],
  ['an upper-case signature', signed.replace(signature, signature.toUpperCase()), 'bad_signature'],
  ['an empty signature', `${query}&signature=`, 'bad_signature'],
  ['a second shop', `${signed}&shop=other.example`, 'repeated_parameter'],
  ['a second timestamp', `${signed}&timestamp=${SIGNED_AT}`, 'repeated_parameter'],
  ['a second signature', `${signed}&signature=${signature}`, 'repeated_parameter'],
  ['a second customer', `${signed}&logged_in_customer_id=1`, 'repeated_parameter'],
  ['a broken escape', `${signed}&x=%zz`, 'malformed'],
  ['bytes that are not UTF-8', `${signed}&x=%ff`, 'malformed'],
  ['91 seconds later', signed, 'stale', SIGNED_AT + 91],
  ['91 seconds earlier', signed, 'stale', SIGNED_AT - 91]
]
for (const [what, rawQuery, reason, seconds] of refused) {
  test(`refuses ${what}`, () => {
    assert.deepEqual(check(rawQuery, seconds), { ok: false, reason })
  })
}

test('accepts a request that is 90 seconds old, or early', () => {
  assert.equal(check(signed, SIGNED_AT + 90).ok, true)
  assert.equal(check(signed, SIGNED_AT - 90).ok, true)
})

test('one signed text cannot be split into parameters in another way', () => {
  // A visitor opened ?a=1logged_in_customer_id=999 and the platform signed it, rightly, for customer 1.
  const canonical = `a=1logged_in_customer_id=999logged_in_customer_id=1path_prefix=/pshop=s.example`
  const cuts = [
    `a=1&logged_in_customer_id=999logged_in_customer_id%3D1&path_prefix=/p&shop=s.example`,
    `a=1&logged_in_customer_id=999&logged_in_customer_id%3D1path_prefix=/p&shop=s.example`
  ]
  for (const cut of cuts) {
    const rawQuery = signAs(`${canonical}timestamp=${SIGNED_AT}`, `${cut}&timestamp=${SIGNED_AT}`)
    assert.deepEqual(check(rawQuery), { ok: false, reason: 'malformed' })
  }
})

test('a plus is a space, and names sort by their bytes', () => {
  const canonical = `path_prefix=/pq=a bshop=s.exampletimestamp=${SIGNED_AT}\u{ffff}=1\u{10000}=2`
  const raw = `\u{10000}=2&\u{ffff}=1&q=a+b&path_prefix=/p&shop=S.example&timestamp=${SIGNED_AT}`
  const result = check(signAs(canonical.replace('s.example', 'S.example'), raw))
  assert.deepEqual(result, { ok: true, shop: 's.example', loggedInCustomerId: null, pathPrefix: '/p' })
})

test('verifies a webhook over its raw bytes, and refuses any other bytes', () => {
  const vector = json('webhook-hmac-vector.json')
  const body = readFileSync(new URL(vector.file, fixtures))
  const hmac: string = vector['X-Shopify-Hmac-Sha256']
  assert.equal(verifyWebhookSignature(body, hmac, vector.secret), true)
  assert.equal(verifyWebhookSignature(body, hmac, 'another secret'), false)
  assert.equal(verifyWebhookSignature(Buffer.concat([body, Buffer.from(' ')]), hmac, vector.secret), false)
  assert.equal(verifyWebhookSignature(body, `${hmac}=`, vector.secret), false)
  assert.equal(verifyWebhookSignature(body, '', vector.secret), false)
})
