import { networkInterfaces } from 'node:os'

const interfaces = Object.values(networkInterfaces()).flatMap((list) => list!)
export const hasIPv6 = interfaces.some(({ address }) => address === '::1')
/** This machine's own addresses beyond loopback. */
export const ownAddresses = interfaces
  .filter(({ internal, address }) => !internal && !address.startsWith('fe80:'))
  .map(({ address }) => address)

/** Whatever answers at these addresses, requests to them never reach this machine. */
export const ELSEWHERE = '93.184.216.34'

// biome-ignore format: a table
const LOOPBACK = [
  '127.0.0.1', '127.1', '127.0.1', '127.8.9.10', '127.255.255.254', '2130706433', '0x7f000001', '0x7f.1',
  '0x7f.0x0.0x0.0x1', '0177.0.0.1', '017700000001', '0177.0.1', '127.0.0.0x1', '127.0.0.1.', '127.0.0.1..',
  '127.0.0.1%2e', '0x7f000001.', '１２７.０.０.１', '127。0。0。1', '127．0．0．1', '①②⑦.⓪.⓪.①', '%31%32%37.0.0.1',
  '%30x7f.1', '0', '0.0.0.0', '[::]', '[::1]', '[0:0:0:0:0:0:0:1]', '[::ffff:127.0.0.1]', '[::ffff:7f00:1]',
  'localhost', 'LOCALHOST', 'localhost.', 'localhost..', 'LocalHost%2e', '%6cocalhost', 'ⓛⓞⓒⓐⓛⓗⓞⓢⓣ', 'localhoſt',
  'foo.localhost', 'a.b.LOCALHOST.'
]

// biome-ignore format: a table
const PRIVATE = [
  // Private, shared, link-local, reserved; metadata services of the clouds.
  '0.1.2.3', '10.0.0.1', '167772161', '172.16.5.4', '172.31.255.255', '192.168.1.1', '0300.0250.1.1', '169.254.169.254',
  '0xa9fea9fe', '2852039166', '169.254.170.2', '100.64.0.1', '100.100.100.200', '192.0.0.1', '192.0.0.8', '192.0.0.192',
  '192.0.2.1', '198.18.0.1', '198.19.255.255', '198.51.100.7', '203.0.113.9', '192.88.99.1', '192.175.48.1',
  '224.0.0.1', '239.1.2.3', '240.0.0.1', '255.255.255.255', '4294967295', '168.63.129.16',
  // IPv6, and the IPv4 that hides in it.
  '[::127.0.0.1]', '[::7f00:1]', '[::FFFF:a9fe:a9fe]', '[::ffff:0:127.0.0.1]', '[64:ff9b::127.0.0.1]',
  '[64:ff9b::7f00:1]', '[64:ff9b::a9fe:a9fe]', '[64:ff9b:1::7f00:1]', '[64:ff9b:1:7f00:0:100::]', '[2002:7f00:1::]',
  '[2002:a9fe:a9fe::1]', '[2001::1]', '[2001:0:7f00:1::80ff:fffe]', '[2606:4700::5efe:7f00:1]',
  '[2606:4700::200:5efe:a00:1]', '[fe80::1]', '[fe80::5efe:7f00:1]', '[fec0::1]', '[fc00::1]', '[fd00:ec2::254]',
  '[fd20:ce::254]', '[ff02::1]', '[100::1]', '[2001:db8::1]', '[3fff::1]', '[5f00::1]', '[4000::1]',
  ...ownAddresses.map((address) => (address.includes(':') ? `[${address}]` : address))
]

const PRIVATE_NAMES: Record<string, string[]> = {
  'private.test': ['10.0.0.1'],
  'metadata.google.internal': ['169.254.169.254'],
  'instance-data': ['169.254.169.254'],
  'mixed.test': [ELSEWHERE, '10.0.0.1'],
  'mixed6.test': [ELSEWHERE, '2606:4700::1111', 'fd00:ec2::254'],
  'mapped.test': ['::ffff:10.0.0.1'],
  'nat64.test': ['64:ff9b::a00:1'],
  'zone.test': ['fe80::1%eth0'],
  'twice.test': [ELSEWHERE, ELSEWHERE, '192.168.1.1'],
  'unspecified.test': ['0.0.0.0'],
  ...(ownAddresses.length > 0 ? { 'own.test': ownAddresses } : {})
}
const LOOPBACK_NAMES: Record<string, string[]> = {
  'loopback.test': ['127.0.0.1'],
  'loopback6.test': ['::1'],
  'half-loopback.test': [ELSEWHERE, '127.0.0.1'],
  'mapped-loopback.test': ['::ffff:127.0.0.1'],
  'xn--lcalhost-54a.test': ['127.0.0.1'],
  '127.0.0.1.nip.test': ['127.0.0.1']
}
/** What the names among the URLs resolve to. */
export const DNS: Record<string, string[]> = {
  ...PRIVATE_NAMES,
  ...LOOPBACK_NAMES,
  ...Object.fromEntries(
    ['localhost', 'localhost.', 'localhost..', 'foo.localhost', 'a.b.localhost.', '127.0.0.1..'].map((name) => [
      name,
      ['127.0.0.1']
    ])
  )
}

/** Hosts by which a URL may try to reach this machine, and the private networks around it, over either scheme. */
export const toThisMachine = (port: number) => bySchemes([...LOOPBACK, ...Object.keys(LOOPBACK_NAMES)], port)
export const toPrivateNetworks = (port: number) => bySchemes([...PRIVATE, ...Object.keys(PRIVATE_NAMES)], port)

function bySchemes(hosts: string[], port: number): string[] {
  return hosts.flatMap((host) => [`https://${host}:${port}/hooks`, `http://${host}:${port}/hooks`])
}

/** URLs that hide where they go, or are none, or are of another kind. */
export const misleading = (port: number) => [
  `https://${ELSEWHERE}@127.0.0.1:${port}/`,
  `https://user:pass@private.test:${port}/`,
  `https://:pass@private.test:${port}/`,
  `https://private.test:${port}#@${ELSEWHERE}/`,
  `https://private.test:${port}\\@${ELSEWHERE}/`,
  `https:\\\\127.0.0.1:${port}/`,
  `https:/127.0.0.1:${port}/`,
  `https:127.0.0.1:${port}/`,
  `https:///127.0.0.1:${port}/`,
  `https://127.0.0.1\t:${port}/`,
  `ht\ntps://127.0.0.1:${port}/`,
  `https://127.0.\r\n0.1:${port}/`,
  ` https://127.0.0.1:${port}/`,
  `file://127.0.0.1:${port}/`,
  'file:///etc/passwd',
  `ftp://127.0.0.1:${port}/`,
  `gopher://127.0.0.1:${port}/_POST`,
  `ws://127.0.0.1:${port}/`,
  `wss://127.0.0.1:${port}/`,
  'unix:/var/run/docker.sock',
  'http+unix://%2Fvar%2Frun%2Fdocker.sock/',
  'javascript:alert(1)',
  'data:text/plain,hello',
  `blob:https://127.0.0.1:${port}/x`
]

/** Texts that are no URL at all. */
export const noUrls = (port: number) => [
  `https://[::1%25lo]:${port}/`,
  `https://[fe80::1%25eth0]:${port}/`,
  `https://127.0.0.1%00.example.com:${port}/`,
  `https://127.0.0.1:99999/`,
  'https://1.1.1.1.1/',
  `//127.0.0.1:${port}/`,
  `127.0.0.1:${port}`,
  'https://',
  ''
]
