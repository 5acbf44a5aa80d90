import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { test } from 'node:test'
import { testDatabase } from '../../../test/database.ts'
import { aStore } from '../../../test/store-builder.ts'
import { testServer } from '../server.test-helper.ts'
import { routableUrl } from './unroutable.ts'

const { db } = await testDatabase()
const { app, logged } = testServer(db)
await app.listen({ port: 0, host: '127.0.0.1' })
const { port } = app.server.address() as { port: number }

/** What comes back to raw bytes until the connection ends. */
async function answersTo(bytes: string) {
  const socket = connect(port, '127.0.0.1')
  const chunks: Buffer[] = []
  socket.on('data', (chunk: Buffer) => chunks.push(chunk))
  socket.write(bytes)
  await new Promise((resolve, reject) => socket.on('close', resolve).on('error', reject))
  return Buffer.concat(chunks).toString()
}

/** The status, the headers and the body of the one answer to raw bytes. */
async function raw(bytes: string) {
  const [head = '', body] = (await answersTo(bytes)).split('\r\n\r\n')
  const [first = '', ...lines] = head.split('\r\n')
  const headers = new Map(lines.map((line) => line.split(': ') as [string, string]))
  return { status: Number(first.split(' ')[1]), headers, error: JSON.parse(body ?? '').error }
}

for (const [name, bytes, message] of [
  ['bytes that are no HTTP', 'this is not http\r\n\r\n', 'This is not an HTTP request'],
  [
    'two lengths of one body',
    'POST /v1/members HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n',
    'This is not an HTTP request'
  ],
  [
    'headers over the limit',
    `GET /v1/members HTTP/1.1\r\nHost: a\r\nX: ${'a'.repeat(20_000)}\r\n\r\n`,
    'The headers are larger than 16 KiB'
  ],
  ['no Host', 'GET /v1/members HTTP/1.1\r\nConnection: close\r\n\r\n', 'The header Host is missing'],
  [
    'an expectation that is none',
    'GET /v1/members HTTP/1.1\r\nHost: a\r\nExpect: banana\r\nConnection: close\r\n\r\n',
    'The header Expect must be 100-continue'
  ],
  ['CONNECT', 'CONNECT a:80 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n', 'The method CONNECT is not taken here'],
  [
    'a target that is no path',
    'GET http:///x HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n',
    'The request names no path'
  ]
] as const) {
  test(`${name}: 400 in the error shape, with the headers of every answer`, async () => {
    const { status, headers, error } = await raw(bytes)
    assert.equal(status, 400)
    assert.deepEqual([error.code, error.message], ['invalid_request', message])
    assert.equal(headers.get('content-type'), 'application/json; charset=utf-8')
    assert.equal(headers.get('cache-control'), 'no-store')
    assert.match(headers.get('x-request-id')!, /^[0-9a-f-]{36}$/)
    assert.equal(headers.get('x-ratelimit-limit'), '60')
    assert.ok(Number(headers.get('x-ratelimit-remaining')) < 60)
    assert.ok(Number(headers.get('x-ratelimit-reset')) > 0)
    assert.equal((await fetch(`http://127.0.0.1:${port}/livez`)).status, 200)
  })
}

const slowRequest = async (rest: string) =>
  `POST /v1/subscriptions/sub_1/pause HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${await (await aStore(db)).aKey()}\r\n${rest}`

test('what breaks behind a request that is not answered yet gets no answer, which would be taken for that one', async () => {
  for (const broken of ['this is not http\r\n\r\n', 'CONNECT a:80 HTTP/1.1\r\nHost: a\r\n\r\n']) {
    const bytes = await slowRequest(`Content-Length: 0\r\n\r\n${broken}`)
    assert.equal(await answersTo(bytes), '', broken)
  }
})

test('what breaks within the body of the only request is answered, once', async () => {
  const head = 'Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n'
  const { status, error } = await raw(await slowRequest(`${head}no length\r\n{}\r\n`))
  assert.deepEqual([status, error.message], [400, 'This is not an HTTP request'])
})

test('what breaks behind a request that was answered is answered', async () => {
  const socket = connect(port, '127.0.0.1')
  let came = ''
  socket.on('data', (chunk: Buffer) => {
    came += chunk
    if (came.endsWith('}') && !came.includes('not an HTTP')) socket.write('this is not http\r\n\r\n')
  })
  socket.write('GET /v1/members HTTP/1.1\r\nHost: a\r\n\r\n')
  await new Promise((resolve) => socket.on('close', resolve))
  assert.deepEqual(came.match(/HTTP\/1\.1 \d+/g), ['HTTP/1.1 401', 'HTTP/1.1 400'])
})

test('a URL with a #: 400, and neither it nor what follows is looked at or logged', async () => {
  const key = await (await aStore(db)).aKey()
  for (const path of ['/members#email=a%00b@x.y', '/members?limit=1#email=hanna', '/members/mem_1#hanna%20ito']) {
    const { status, error } = await raw(
      `GET /v1${path} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\nConnection: close\r\n\r\n`
    )
    assert.equal(status, 400, path)
    assert.deepEqual(
      [error.code, error.message],
      ['invalid_request', 'The URL holds a #: within a value it is written %23']
    )
  }
  assert.doesNotMatch(logged(), /hanna|x\.y/)
  assert.match(logged(), /\/v1\/members\?limit=1#\[hidden\]/)
})

test('a body that waits for 100-continue is asked for', async () => {
  const authorization = `Bearer ${await (await aStore(db)).aKey()}`
  const socket = connect(port, '127.0.0.1')
  let came = ''
  socket.on('data', (chunk: Buffer) => {
    came += chunk
    if (came.endsWith('100 Continue\r\n\r\n')) socket.write('{}')
  })
  socket.write(
    `POST /v1/subscriptions/sub_1/pause HTTP/1.1\r\nHost: a\r\nAuthorization: ${authorization}\r\nExpect: 100-continue\r\nContent-Type: application/json\r\nContent-Length: 2\r\nConnection: close\r\n\r\n`
  )
  await new Promise((resolve) => socket.on('close', resolve))
  assert.match(came, /There is no subscription sub_1/)
})

for (const [url, routed] of [
  ['/v1/members?limit=%zz', '/v1/members?limit=%zz'],
  ['/v1/members/a%20b', '/v1/members/a%20b'],
  ['/v1/%ff?a=%20', '/v1/%25ff?a=%20'],
  ['/v1/%e4%b8/%41', '/v1/%25e4%25b8/%2541'],
  ['/v1/%', '/v1/%25']
] as const) {
  test(`${url} is routed as ${routed}`, () => assert.equal(routableUrl({ url }), routed))
}

for (const path of ['/v1/%ff', '/v1/members/%zz', '/v1/subscriptions/%e4%b8/pause', '/v1/a/b%']) {
  test(`a path that cannot be decoded, ${path}: 400, authenticated and counted as any other`, async () => {
    const authorization = `Bearer ${await (await aStore(db)).aKey()}`
    const responses = [1, 2].map(() => app.inject({ url: path, headers: { authorization } }))
    for (const { statusCode, headers, body } of await Promise.all(responses)) {
      assert.equal(statusCode, 400)
      const { code, message, details } = JSON.parse(body).error
      assert.deepEqual(
        [code, message, details[0].field],
        ['invalid_request', 'The path holds a broken percent escape', 'path']
      )
      assert.equal(headers['x-ratelimit-limit'], '300')
      assert.match(String(headers['x-ratelimit-remaining']), /^29[89]$/)
    }
    const stranger = await app.inject({ url: path, remoteAddress: '10.0.0.3' })
    assert.equal(stranger.statusCode, 401)
    assert.equal(stranger.headers['x-ratelimit-limit'], '60')
  })
}

test('a path that cannot be decoded, over the budget of the store: 429', async () => {
  const authorization = `Bearer ${await (await aStore(db, { plan: 'starter' })).aKey()}`
  const responses = []
  while (responses.length < 200 && responses.at(-1)?.statusCode !== 429)
    responses.push(await app.inject({ url: '/v1/%ff', headers: { authorization } }))
  assert.equal(responses[0]!.statusCode, 400)
  assert.equal(responses.at(-1)!.json().error.code, 'rate_limited')
})

test('a path that cannot be decoded, for storefronts: their own shape', async () => {
  const { statusCode, body } = await app.inject('/apps/svc-api/v1/%ff')
  assert.equal(statusCode, 401)
  assert.deepEqual(Object.keys(JSON.parse(body)), ['message'])
})

test('no answer of the direct API or for storefronts is kept on the way', async () => {
  const authorization = `Bearer ${await (await aStore(db)).aKey()}`
  for (const url of ['/v1/members', '/v1/members/mem_1', '/v1/nothing', '/v1/members?x=1', '/apps/svc-api/v1/x']) {
    const { headers } = await app.inject({ url, headers: { authorization } })
    assert.equal(headers['cache-control'], 'no-store', url)
  }
  assert.equal((await app.inject('/docs')).headers['cache-control'], 'no-cache')
})
