import assert from 'node:assert/strict'
import type { lookup } from 'node:dns'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, test } from 'node:test'
import { createServer as createTlsServer } from 'node:tls'
import { Agent, request } from 'undici'
import { aCertificate } from '../../test/certificates.ts'
import {
  type AddressRules,
  checkNetworks,
  guardedConnector,
  isAllowedAddress,
  resolvedProblem,
  urlProblem
} from './addresses.ts'

const strict: AddressRules = { loopback: false, allow: [] }
const sandbox: AddressRules = { loopback: true, allow: [] }

/** A DNS for the test: names to addresses, which may change between two look-ups. */
function names(table: Record<string, string[] | (() => string[])>): AddressRules['lookup'] {
  const lookupName = (host: string, _options: unknown, callback: (err: Error | null, found: unknown) => void) => {
    const entry = table[host]
    if (!entry) return callback(Object.assign(new Error(`no ${host}`), { code: 'ENOTFOUND' }), [])
    const addresses = typeof entry === 'function' ? entry() : entry
    callback(
      null,
      addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))
    )
  }
  return lookupName as unknown as typeof lookup
}

let reached = 0
const canary = createServer((_, response) => {
  reached++
  response.end('canary')
})
await new Promise<void>((listening) => canary.listen(0, '127.0.0.1', listening))
after(() => canary.close())
const port = (canary.address() as AddressInfo).port

// biome-ignore format: a table
const HOSTILE_LITERALS = [
  '127.0.0.1', '127.1', '127.0.1', '2130706433', '0x7f000001', '0x7f.1', '0177.0.0.1', '017700000001', '127.0.0.1.',
  '127.8.9.10', '0', '0.0.0.0', '１２７.0.0.1', '127。0。0。1', '%31%32%37.0.0.1', '10.0.0.1', '172.16.5.4',
  '192.168.1.1', '169.254.169.254', '0xa9fea9fe', '2852039166', '100.64.0.1', '100.100.100.200', '192.0.0.192',
  '192.0.2.1', '198.18.0.1', '198.51.100.7', '203.0.113.9', '192.88.99.1', '224.0.0.1', '240.0.0.1',
  '255.255.255.255', '168.63.129.16', '[::1]', '[::]', '[::127.0.0.1]', '[::7f00:1]', '[::ffff:127.0.0.1]',
  '[::ffff:7f00:1]', '[0:0:0:0:0:ffff:a9fe:a9fe]', '[::ffff:0:127.0.0.1]', '[64:ff9b::127.0.0.1]',
  '[64:ff9b:1::7f00:1]', '[2002:7f00:1::]', '[2002:a9fe:a9fe::1]', '[2001::1]', '[fe80::1]', '[fec0::1]', '[fc00::1]',
  '[fd00:ec2::254]', '[ff02::1]', '[100::1]', '[2001:db8::1]', '[3fff::1]', '[5f00::1]', '[4000::1]',
  '[2606:4700::5efe:7f00:1]', '[2606:4700::200:5efe:a00:1]', '[2001:0:7f00:1::80ff:fffe]'
]

test('literal addresses of private and reserved networks are refused as a URL and at connect time, in any notation', async () => {
  const agent = new Agent({ connect: guardedConnector(strict, { timeout: 1000 }) })
  for (const host of HOSTILE_LITERALS) {
    for (const scheme of ['https', 'http']) {
      const url = `${scheme}://${host}:${port}/`
      assert.notEqual(urlProblem(url, strict), null, url)
      await assert.rejects(request(url, { dispatcher: agent }), { code: 'ADDRESS_REFUSED' }, url)
    }
  }
  assert.equal(reached, 0)
  await agent.close()
})

const HIDING_URLS = [
  'http://example.com/',
  'ftp://example.com/',
  'file:///etc/passwd',
  'gopher://example.com',
  'javascript:alert(1)',
  'https://user:pass@example.com/',
  'https://example.com@127.0.0.1/',
  'https://example.com/#@10.0.0.1',
  'https://',
  'https://localhost/',
  'https://LOCALHOST./',
  'https://api.localhost/',
  'example.com',
  '',
  '//example.com',
  'https://[fe80::1%25eth0]/',
  'https://localhost../',
  'https://127.0.0.1../',
  'https://example.com\\@127.0.0.1/',
  'https:\\\\example.com/',
  'https://exam\tple.com/',
  'https://exam\r\nple.com/',
  ' https://example.com/',
  'https://example.com/a b',
  'https://example.com:0/',
  `https://example.com/${'a'.repeat(2048)}`
]

test('a URL that is malformed, not https or hides its host is refused', () => {
  for (const url of HIDING_URLS) assert.notEqual(urlProblem(url, strict), null, url)
  for (const url of [
    'https://example.com/hooks?a=b',
    'https://8.8.8.8/',
    'https://[2606:4700::1111]:8443/',
    'HTTPS://EXAMPLE.com'
  ]) {
    assert.equal(urlProblem(url, strict), null, url)
  }
})

test('a name with any denied address is refused at connect time, even if it resolved differently before', async () => {
  let lookups = 0
  const lookup = names({
    'private.test': ['10.0.0.1'],
    'loopback.test': ['127.0.0.1'],
    'mixed.test': ['93.184.216.34', '127.0.0.1'],
    'mapped.test': ['::ffff:127.0.0.1'],
    'nat64.test': ['64:ff9b::7f00:1'],
    'metadata.test': ['169.254.169.254'],
    'nowhere.test': [],
    'rebinding.test': () => (lookups++ === 0 ? ['93.184.216.34'] : ['127.0.0.1'])
  })
  const rules = { ...strict, lookup }
  assert.match((await resolvedProblem('https://private.test/', rules))!, /private\.test is 10\.0\.0\.1/)
  assert.match((await resolvedProblem('https://mixed.test/', rules))!, /127\.0\.0\.1/)
  assert.equal(await resolvedProblem('https://rebinding.test/', rules), null)
  assert.equal(await resolvedProblem('https://not-there-yet.test/', rules), null)

  const agent = new Agent({ connect: guardedConnector(rules, { timeout: 1000 }) })
  for (const name of ['private', 'loopback', 'mixed', 'mapped', 'nat64', 'metadata', 'nowhere', 'rebinding']) {
    for (const scheme of ['https', 'http']) {
      await assert.rejects(
        request(`${scheme}://${name}.test:${port}/`, { dispatcher: agent }),
        { code: 'ADDRESS_REFUSED' },
        name
      )
    }
  }
  assert.equal(reached, 0)
  await agent.close()
})

test('with loopback allowed, http and https reach this machine and no other private address', async () => {
  const before = reached
  const lookup = names({ localhost: ['127.0.0.1'], 'public.test': ['93.184.216.34'], 'private.test': ['10.0.0.1'] })
  const rules = { ...sandbox, lookup }
  assert.equal(urlProblem(`http://127.0.0.1:${port}/`, rules), null)
  assert.equal(urlProblem(`http://localhost:${port}/`, rules), null)
  assert.equal(urlProblem('https://[::1]/', rules), null)
  assert.notEqual(urlProblem('http://10.0.0.1/', rules), null)
  assert.notEqual(urlProblem('http://example.com/', rules), null)

  const agent = new Agent({ connect: guardedConnector(rules, { timeout: 1000 }) })
  for (const host of ['127.0.0.1', 'localhost']) {
    const response = await request(`http://${host}:${port}/`, { dispatcher: agent })
    assert.equal(await response.body.text(), 'canary')
  }
  for (const host of ['public.test', 'private.test', '10.0.0.1', '8.8.8.8']) {
    await assert.rejects(request(`http://${host}:${port}/`, { dispatcher: agent }), { code: 'ADDRESS_REFUSED' }, host)
  }
  assert.equal(reached, before + 2)
  await agent.close()
})

test('the allow-list allows its own networks only', () => {
  const rules = { loopback: false, allow: ['10.20.0.0/16', 'fd12::/64'] }
  assert.equal(isAllowedAddress('10.20.3.4', rules), true)
  assert.equal(isAllowedAddress('::ffff:10.20.3.4', rules), true)
  assert.equal(isAllowedAddress('fd12::1', rules), true)
  assert.equal(isAllowedAddress('10.21.0.1', rules), false)
  assert.equal(isAllowedAddress('not an address', rules), false)
  assert.equal(urlProblem('https://10.20.3.4/', rules), null)
  assert.notEqual(urlProblem('http://10.20.3.4/', rules), null)
  // An allowed network reached through NAT64 or 6to4 is not the same place.
  assert.equal(isAllowedAddress('64:ff9b::10.20.3.4', rules), false)
  assert.equal(isAllowedAddress('2002:a14:304::1', rules), false)
  assert.throws(() => checkNetworks(['10.0.0.0/8', '10.0.0.1/99']), /10\.0\.0\.1\/99 must be a network/)
})

test('an allowed NAT64 prefix reaches only addresses that are allowed themselves', () => {
  const rules = { loopback: true, allow: ['64:ff9b::/96', '10.20.0.0/16'] }
  assert.equal(isAllowedAddress('64:ff9b::8.8.8.8', rules), true)
  assert.equal(isAllowedAddress('64:ff9b::10.20.3.4', rules), true)
  for (const inner of ['10.21.0.1', '127.0.0.1', '169.254.169.254', '0.0.0.0']) {
    assert.equal(isAllowedAddress(`64:ff9b::${inner}`, rules), false, inner)
  }
})

test('a certificate is checked even if NODE_TLS_REJECT_UNAUTHORIZED is 0', async () => {
  let received = 0
  const server = createTlsServer(aCertificate({ hosts: ['127.0.0.1'] }), (socket) => {
    socket.on('error', () => {}).on('data', () => received++)
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const agent = new Agent({ connect: guardedConnector(sandbox, { timeout: 1000 }) })
  process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0'
  try {
    const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}/`
    await assert.rejects(request(url, { dispatcher: agent }), { code: 'DEPTH_ZERO_SELF_SIGNED_CERT' })
    assert.equal(received, 0)
  } finally {
    delete process.env.NODE_TLS_REJECT_UNAUTHORIZED
    server.close()
    await agent.close()
  }
})
