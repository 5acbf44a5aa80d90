// What an extension in the platform's customer accounts may do for the customer whom its session token names.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { aChurnShop, QUARTER_OFF } from './churn-shop.ts'
import { customerToken } from './customer-token.ts'
import { testDatabase } from './database.ts'
import { startService } from './service-builder.ts'

const { url } = await testDatabase()
const service = await startService(url)

async function ask(method: string, path: string, token: string | null, body?: object) {
  const response = await fetch(`${service.urls.public}/customer-account/v1${path}`, {
    method,
    headers: {
      origin: 'https://extensions.example',
      ...(token && { authorization: `Bearer ${token}` }),
      ...(body && { 'content-type': 'application/json' })
    },
    ...(body && { body: JSON.stringify(body) })
  })
  return {
    status: response.status,
    body: response.status === 204 ? null : ((await response.json()) as any),
    headers: response.headers
  }
}

test('the customer sees the contract, is offered something, accepts it and cancels in the end', async () => {
  const shop = await aChurnShop(service)
  const ada = await shop.person()
  const vip = await shop.join(ada, 'VIP')
  const offer = await shop.offer(QUARTER_OFF)
  const token = customerToken({ dest: shop.domain, sub: `gid://platform/Customer/${ada}` })
  const account = await ask('GET', '/membership/account', token)
  assert.deepEqual(
    [account.status, account.headers.get('access-control-allow-origin'), account.body.contracts[0].contract_id],
    [200, '*', vip.contractId]
  )
  const reasons = await ask('GET', '/membership/churn/reasons', token)
  assert.equal(reasons.body[0].alias, 'too_expensive')
  const offers = await ask(
    'GET',
    `/membership/churn/offers?cancellation_reason=too_expensive&contract_id=${vip.contractId}`,
    token
  )
  assert.deepEqual(
    offers.body[0].offers.map(({ id, preview }: any) => [id, preview.price, preview.price_with_offer]),
    [[offer, '29.00', '21.75']]
  )
  const accepted = await ask('POST', `/membership/churn/${vip.contractId}/offers/${offer}/activation`, token, {})
  assert.deepEqual([accepted.status, accepted.body.status], [200, 'Active'])
  const cancelled = await ask('POST', `/membership/churn/${vip.contractId}/cancellation`, token, { reason: 'other' })
  assert.deepEqual([cancelled.status, cancelled.body.status], [200, 'CANCELLED'])
})

test('a token that proves nothing, or another customer, is refused; a preflight is answered', async () => {
  const shop = await aChurnShop(service)
  const [ada, bob] = [await shop.person(), await shop.person('bob@example.com')]
  const vip = await shop.join(ada, 'VIP')
  const sub = `gid://platform/Customer/${ada}`
  for (const [token, why] of [
    [null, 'Send the session token of the extension as a bearer'],
    ['nonsense', 'it is no session token'],
    [customerToken({ dest: shop.domain, sub }, { secret: 'another' }), 'its signature is not of our client secret'],
    [customerToken({ dest: shop.domain, sub }, { alg: 'none' }), 'it is not signed with HS256'],
    [customerToken({ dest: shop.domain, sub, aud: 'other' }), 'it is for another app'],
    [customerToken({ dest: shop.domain, sub, exp: 1 }), 'it has expired'],
    [customerToken({ dest: shop.domain, sub, nbf: 9_999_999_999 }), 'it is not valid yet'],
    [customerToken({ dest: shop.domain }), '`sub` names no customer who is logged in'],
    [customerToken({ dest: shop.domain, sub: 'gid://platform/Order/7' }), '`sub` names no customer who is logged in']
  ] as const) {
    const { status, body } = await ask('GET', '/membership/account', token)
    assert.equal(status, 401)
    assert.ok(body.message.includes(why), body.message)
  }
  const unknown = await ask('GET', '/membership/account', customerToken({ dest: 'unknown.example', sub }))
  assert.equal(unknown.status, 404)
  const other = customerToken({ dest: shop.domain, sub: `gid://platform/Customer/${bob}` })
  const theirs = await ask('POST', `/membership/churn/${vip.contractId}/cancellation`, other, {})
  assert.deepEqual([theirs.status, theirs.body], [403, { message: 'This contract belongs to another customer' }])
  const noJson = await ask(
    'POST',
    `/membership/churn/${vip.contractId}/cancellation`,
    customerToken({ dest: shop.domain, sub })
  )
  assert.equal(noJson.status, 422)
  const preflight = await ask('OPTIONS', '/membership/account', null)
  assert.deepEqual(
    [
      preflight.status,
      ...['origin', 'methods', 'headers'].map((name) => preflight.headers.get(`access-control-allow-${name}`))
    ],
    [204, '*', 'GET, POST', 'authorization, content-type']
  )
  assert.equal((await shop.show(vip.id)).status, 'active')
})
