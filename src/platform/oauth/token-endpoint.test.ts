import assert from 'node:assert/strict'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, test } from 'node:test'
import { type Grant, requestToken } from './token-endpoint.ts'

const app = { clientId: 'client', clientSecret: 'the-secret-of-the-client' }

/** A token endpoint on a real socket, and what it got. */
async function anEndpoint(respond: (res: ServerResponse) => void) {
  const got: { path: string | undefined; body: Record<string, string> }[] = []
  const server = createServer(async (req, res) => {
    let text = ''
    for await (const chunk of req) text += chunk
    got.push({ path: req.url, body: JSON.parse(text) })
    respond(res)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  after(() => {
    server.closeAllConnections()
    server.close()
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/shop/`
  return { got, ask: (grant: Grant, timeoutMs = 5_000) => requestToken(url, app, grant, { timeoutMs }) }
}
const answering = (status: number, body: unknown) =>
  anEndpoint((res) => res.writeHead(status).end(typeof body === 'string' ? body : JSON.stringify(body)))

const PAIR = {
  access_token: 'shpat_1',
  scope: 'read_orders,write_products',
  expires_in: 3600,
  refresh_token: 'shprt_1',
  refresh_token_expires_in: 7_776_000
}

test('each grant is asked for as the platform documents it, always for a token that expires', async () => {
  const { got, ask } = await answering(200, PAIR)
  const own = { client_id: 'client', client_secret: 'the-secret-of-the-client' }
  const exchange = {
    grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
    requested_token_type: 'urn:shopify:params:oauth:token-type:offline-access-token',
    expiring: '1'
  }
  assert.deepEqual(await ask({ kind: 'session_token', token: 'jwt' }), {
    ok: true,
    value: {
      accessToken: 'shpat_1',
      expiresInSeconds: 3600,
      refreshToken: 'shprt_1',
      refreshExpiresInSeconds: 7_776_000,
      scopes: ['read_orders', 'write_products']
    }
  })
  await ask({ kind: 'code', code: 'c0de' })
  await ask({ kind: 'refresh_token', token: 'shprt_0' })
  assert.deepEqual(got, [
    {
      path: '/shop/admin/oauth/access_token',
      body: {
        ...own,
        ...exchange,
        subject_token: 'jwt',
        subject_token_type: 'urn:ietf:params:oauth:token-type:id_token'
      }
    },
    { path: '/shop/admin/oauth/access_token', body: { ...own, code: 'c0de', expiring: '1' } },
    {
      path: '/shop/admin/oauth/access_token',
      body: { ...own, grant_type: 'refresh_token', refresh_token: 'shprt_0' }
    }
  ])
})

test('the scopes of an answer that names none are not known', async () => {
  const { scope: _, ...withoutScope } = PAIR
  const { ask } = await answering(200, withoutScope)
  const issued = await ask({ kind: 'refresh_token', token: 'x' })
  assert.equal(issued.ok && issued.value.scopes, null)
})

test('an answer with a refresh token but no end is taken to last an hour, one without either not to end', async () => {
  const { expires_in: _, ...withoutEnd } = PAIR
  const { ask } = await answering(200, withoutEnd)
  const issued = await ask({ kind: 'refresh_token', token: 'x' })
  assert.equal(issued.ok && issued.value.expiresInSeconds, 3600)
  const { ask: askOld } = await answering(200, { access_token: 'shpat_1', scope: '' })
  const old = await askOld({ kind: 'code', code: 'x' })
  assert.deepEqual(old.ok && [old.value.expiresInSeconds, old.value.refreshToken, old.value.scopes], [null, null, []])
})

for (const [what, status, body, expected] of [
  [
    'a refresh token that is not active',
    401,
    { error: 'invalid_request', error_description: 'This request requires an active refresh_token' },
    { kind: 'rejected', code: 'invalid_request', message: /active refresh_token$/ }
  ],
  [
    'an error without a description',
    400,
    { error: 'invalid_grant' },
    { kind: 'rejected', code: 'invalid_grant', message: /invalid_grant$/ }
  ],
  ['a page instead of JSON', 400, '<html>', { kind: 'rejected', code: '400', message: /400$/ }],
  ['an error of another shape', 403, { error: { deep: 1 } }, { kind: 'rejected', code: '403', message: /403$/ }],
  [
    'a shop that has not paid',
    402,
    { errors: 'Payment Required' },
    { kind: 'unavailable', code: '402', message: /402/ }
  ],
  ['a shop that is not there', 404, '', { kind: 'unavailable', code: '404', message: /404/ }],
  ['too many requests', 429, '', { kind: 'unavailable', code: '429', message: /429/ }],
  ['an error of a gateway', 520, 'error code: 520', { kind: 'unavailable', code: '520', message: /520/ }],
  ['success without a token', 200, { scope: 'x' }, { kind: 'unavailable', code: undefined, message: /access_token/ }],
  ['success with half an answer', 200, '{"access_tok', { kind: 'unavailable', code: '200', message: /200/ }]
] as [string, number, unknown, { kind: string; code: string | undefined; message: RegExp }][]) {
  test(`${what} is ${expected.kind}, and the message has no secret`, async () => {
    const { ask } = await answering(status, body)
    const asked = await ask({ kind: 'refresh_token', token: 'shprt_canary' })
    assert.ok(!asked.ok)
    assert.equal(asked.failure.kind, expected.kind)
    assert.equal(asked.failure.code, expected.code)
    assert.match(asked.failure.message, expected.message)
    assert.doesNotMatch(asked.failure.message, /canary|the-secret/)
  })
}

test('no answer in time, and a connection that breaks, say nothing about the token', async () => {
  const { ask } = await anEndpoint(() => {})
  const late = await ask({ kind: 'code', code: 'x' }, 100)
  assert.equal(late.ok ? null : late.failure.kind, 'unavailable')
  const broken = await (await anEndpoint((res) => res.destroy())).ask({ kind: 'code', code: 'x' })
  assert.equal(broken.ok ? null : broken.failure.kind, 'unavailable')
})
