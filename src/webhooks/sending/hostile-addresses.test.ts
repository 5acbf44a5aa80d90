import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import type { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { setDefaultCACertificates } from 'node:tls'
import { fileURLToPath } from 'node:url'
import { Agent, request } from 'undici'
import { aCertificate } from '../../../test/certificates.ts'
import { testDatabase } from '../../../test/database.ts'
import { listEndpoints } from '../endpoints/list-endpoints.ts'
import { updateEndpoint } from '../endpoints/update-endpoint.ts'
import {
  aCanary,
  aRawReceiver,
  aStage,
  names,
  type Outcome,
  rawResponse,
  says
} from '../hostile-endpoints.test-helper.ts'
import {
  DNS,
  ELSEWHERE,
  hasIPv6,
  misleading,
  noUrls,
  ownAddresses,
  toPrivateNetworks,
  toThisMachine
} from '../hostile-urls.test-helper.ts'

const { db, url: databaseUrl } = await testDatabase()
const canary = await aCanary()
const { port } = canary
const lookup = names(DNS)
const everything = [...toThisMachine(port), ...toPrivateNetworks(port), ...misleading(port), ...noUrls(port)]
/** The table itself takes no empty one. */
const connectable = everything.filter((url) => url !== '')

const ca = aCertificate({})
setDefaultCACertificates([ca.cert])
const certified = (...hosts: string[]) => aCertificate({ hosts, issuer: ca })
const reported = (outcomes: Outcome[]) => outcomes.map((o) => o.failure ?? o.responseCode)

test('the canary receives whatever comes without a guard', async () => {
  const agent = new Agent({ connect: { timeout: 1000 } })
  const mine = [...ownAddresses, '127.0.0.1', ...(hasIPv6 ? ['::1'] : [])]
  const hosts = mine.map((address) => (address.includes(':') ? `[${address}]` : address))
  for (const host of [...hosts, '0x7f.1', '①②⑦.⓪.⓪.①', '0', '[::ffff:127.0.0.1]']) {
    await request(`http://${host}:${port}/`, { dispatcher: agent }).then(({ body }) => body.dump())
  }
  assert.equal(canary.connections, mine.length + 4)
  canary.connections = 0
  await agent.destroy()
})

test('no hostile URL becomes an endpoint of a live store', async () => {
  assert.ok(new Set(everything).size > 200)
  const stage = await aStage(db, { live: true, addresses: { loopback: true, allow: [], lookup } })
  for (const url of everything) {
    await assert.rejects(stage.create(url), { code: 'invalid_request', message: /^url must/ }, url)
  }
  assert.deepEqual(await stage.inStore(listEndpoints), [])
  assert.equal(canary.connections, 0)
})

test('nor does an endpoint move to one', async () => {
  const stage = await aStage(db, { live: true, addresses: { loopback: true, allow: [], lookup } })
  const { id, url: before } = await stage.create(`https://${ELSEWHERE}/`)
  for (const url of everything) {
    const moving = updateEndpoint(db, stage.storeId, id, { url }, stage.settings)
    await assert.rejects(moving, { code: 'invalid_request', message: /^url must/ }, url)
  }
  assert.deepEqual(
    (await stage.inStore(listEndpoints)).map(({ url }) => url),
    [before]
  )
  assert.equal(canary.connections, 0)
})

test('one that is in the table all the same is not connected to', async () => {
  const stage = await aStage(db, { live: true, addresses: { loopback: true, allow: [], lookup } })
  const ids = await stage.plant(connectable)
  await stage.send()
  for (const [i, url] of connectable.entries()) {
    const [outcome] = await stage.outcomes(ids[i]!)
    const isOfTheWeb = URL.canParse(url) && /^https?:/.test(url.replaceAll(/\s/g, ''))
    assert.equal(outcome!.responseCode, null, url)
    assert.match(outcome!.failure!, isOfTheWeb ? /^address_refused$/ : /^(address_refused|protocol|other)$/, url)
  }
  assert.equal(canary.connections, 0)
})

test('a sandbox store reaches this machine and nothing else; with the sandbox off, not even that', async () => {
  const open = await aStage(db, { addresses: { loopback: true, allow: [], lookup } })
  const inside = toPrivateNetworks(port)
  for (const url of [...inside, ...misleading(port), ...noUrls(port)]) {
    if (/127\.0\.0\.1:/.test(url)) continue
    await assert.rejects(open.create(url), { code: 'invalid_request', message: /^url must/ }, url)
  }
  const ids = await open.plant(inside)
  await open.send()
  for (const [i, url] of inside.entries())
    assert.deepEqual(reported(await open.outcomes(ids[i]!)), ['address_refused'], url)
  assert.equal(canary.connections, 0)

  const local = await aStage(db, { addresses: { loopback: true, allow: [], lookup } })
  const urls = [`http://127.0.0.1:${port}/`, `http://localhost:${port}/`, ...(hasIPv6 ? [`http://[::1]:${port}/`] : [])]
  const created = await Promise.all(urls.map((url) => local.create(url)))
  await local.send()
  for (const { id } of created) assert.deepEqual(reported(await local.outcomes(id)), [200])
  assert.equal(canary.connections, urls.length)
  canary.connections = 0

  const off = await aStage(db, { addresses: { loopback: false, allow: [], lookup } })
  const offIds = await off.plant(toThisMachine(port))
  await off.send()
  for (const id of offIds) assert.deepEqual(reported(await off.outcomes(id)), ['address_refused'])
  for (const url of toThisMachine(port)) await assert.rejects(off.create(url), { code: 'invalid_request' }, url)
  assert.equal(canary.connections, 0)
})

test('the allow-list opens what it names, over https, and nothing beside it', async () => {
  const receiver = await aRawReceiver(says(rawResponse('200 OK')), { tls: certified('127.0.0.1', 'allowed.test') })
  const rules = { loopback: false, allow: ['127.0.0.1/32'] }
  const stage = await aStage(db, {
    live: true,
    addresses: { ...rules, lookup: names({ 'allowed.test': ['127.0.0.1'], 'half.test': ['127.0.0.1', '::1'] }) }
  })
  const good = await stage.plant([`https://127.0.0.1:${receiver.port}/`, `https://allowed.test:${receiver.port}/`])
  const bad = await stage.plant([
    `http://127.0.0.1:${receiver.port}/`,
    `https://half.test:${receiver.port}/`,
    ...['127.0.0.2', '0.0.0.0', '[::1]', '[::127.0.0.1]', '[64:ff9b::7f00:1]', '[2002:7f00:1::]', '10.0.0.1'].map(
      (host) => `https://${host}:${port}/`
    )
  ])
  await stage.send()
  for (const id of good) assert.deepEqual(reported(await stage.outcomes(id)), [200])
  for (const id of bad) assert.deepEqual(reported(await stage.outcomes(id)), ['address_refused'])
  assert.equal(receiver.requests.length, good.length)
  assert.equal(canary.connections, 0)
})

test('a name may change its mind between two connections', { skip: !hasIPv6 && 'needs ::1' }, async () => {
  const host = 'rebinding.test'
  let now = '127.0.0.1'
  const sockets: Socket[] = []
  const onConnect = (socket: Socket) => void sockets.push(socket)
  const receiver = await aRawReceiver(says(rawResponse('200 OK')), { tls: certified(host), onConnect })
  // At the same port of an address that is not allowed.
  const trap = await aCanary({ host: '::1', port: receiver.port })
  const rules = { loopback: false, allow: ['127.0.0.1/32'] }
  const stage = await aStage(db, { live: true, addresses: { ...rules, lookup: names({ [host]: () => [now] }) } })
  const { id } = await stage.create(`https://${host}:${receiver.port}/`)

  now = '::1'
  await stage.send()
  assert.deepEqual(reported(await stage.outcomes(id)), ['address_refused'])
  now = '127.0.0.1'
  await stage.send()
  // The connection to the address that was checked stays in use.
  now = '::1'
  await stage.send()
  assert.deepEqual(reported(await stage.outcomes(id)), ['address_refused', 200, 200])
  assert.equal(sockets.length, 1)
  sockets[0]!.end()
  await once(sockets[0]!, 'close')
  await stage.send()
  assert.deepEqual(reported(await stage.outcomes(id)), ['address_refused', 200, 200, 'address_refused'])
  await assert.rejects(stage.create(`https://${host}:${receiver.port}/`), { code: 'invalid_request' })
  assert.equal(trap.connections, 0)
})

test('no answer of an allowed receiver leads anywhere else', async () => {
  const places = ['127.0.0.1', '[::1]', 'localhost', ...ownAddresses.filter((address) => !address.includes(':'))]
  const targets = places.flatMap((place) => [
    `http://${place}:${port}/`,
    `https://${place}:${port}/`,
    `//${place}:${port}`
  ])
  const ways = (to: string): [string, string[]][] => [
    ...['301', '302', '303', '307', '308', '201', '202'].map((status): [string, string[]] => [
      status,
      [`location: ${to}`]
    ]),
    ['200', [`refresh: 0; url=${to}`, `content-location: ${to}`, `link: <${to}>; rel=preload`, `alt-svc: h2="${to}"`]],
    ['426', [`upgrade: h2c, TLS/1.3`, 'connection: upgrade', `alt-svc: h3=":${port}"`]],
    ['407', ['proxy-authenticate: Basic', `location: ${to}`]],
    ['305', [`location: ${to}`]]
  ]
  const redirects = targets.flatMap((to) =>
    ways(to).map(([status, headers]) => rawResponse(`${status} Elsewhere`, headers))
  )
  let next = 0
  const receiver = await aRawReceiver((s) => s.write(redirects[next++ % redirects.length]!), {
    tls: certified('127.0.0.1')
  })
  const stage = await aStage(db, { live: true, addresses: { loopback: false, allow: ['127.0.0.1/32'] } })
  const [id] = await stage.plant([`https://127.0.0.1:${receiver.port}/`])
  await stage.send(Math.min(redirects.length, 100))
  const outcomes = await stage.outcomes(id!)
  assert.deepEqual(new Set(reported(outcomes)), new Set([200, 201, 202, 'redirect', 'status']))
  assert.equal(receiver.requests.length, outcomes.length)
  assert.equal(canary.connections, 0)
})

test('a name that has no address, is unknown or never answers is distinguished from one that is refused', async () => {
  const stage = await aStage(db, {
    live: true,
    addresses: { loopback: false, allow: [], lookup: names({ 'empty.test': [], 'slow.test': null }) },
    timeoutMs: 1000
  })
  const ids = await stage.plant(['empty', 'unknown', 'slow'].map((name) => `https://${name}.test:${port}/`))
  await stage.send()
  const all = await Promise.all(ids.map(async (id) => reported(await stage.outcomes(id))))
  assert.deepEqual(all, [['address_refused'], ['dns'], ['timeout']])
})

test('proxies of the environment are not used', async () => {
  const proxy = await aCanary({ host: '127.0.0.1' })
  const plain = await aRawReceiver(says(rawResponse('200 OK')))
  const secure = await aRawReceiver(says(rawResponse('200 OK')), { tls: certified('127.0.0.1') })
  const stage = await aStage(db, { addresses: { loopback: true, allow: [], lookup } })
  const ids = await stage.plant([plain.url, `https://127.0.0.1:${secure.port}/`])
  await stage.record()
  const at = `http://127.0.0.1:${proxy.port}`
  const variables = [
    'HTTP_PROXY',
    'HTTPS_PROXY',
    'ALL_PROXY',
    'http_proxy',
    'https_proxy',
    'all_proxy',
    'npm_config_proxy'
  ]
  const directory = await mkdtemp(join(tmpdir(), 'perennial-ca-'))
  await writeFile(join(directory, 'ca.pem'), ca.cert)
  const env = {
    ...process.env,
    ...Object.fromEntries(variables.map((name) => [name, at])),
    NODE_USE_ENV_PROXY: '1',
    NODE_EXTRA_CA_CERTS: join(directory, 'ca.pem')
  }
  const run = async (...args: string[]) => {
    const [code] = await once(spawn(process.execPath, args, { env, stdio: 'inherit' }), 'exit')
    assert.equal(code, 0)
  }
  await run('-e', `fetch('${plain.url}').then((answer) => answer.text())`)
  assert.equal(proxy.connections, 1, 'the variables have no effect at all')
  await run(
    fileURLToPath(new URL('../sender-process.test-helper.ts', import.meta.url)),
    databaseUrl,
    String(stage.storeId)
  )
  await rm(directory, { recursive: true })
  for (const id of ids) assert.deepEqual(reported(await stage.outcomes(id)), [200])
  assert.equal(proxy.connections, 1)
  assert.deepEqual([plain.requests.length, secure.requests.length], [1, 1])
})
