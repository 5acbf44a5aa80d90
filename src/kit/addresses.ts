import { lookup as dnsLookup } from 'node:dns'
import { lookup as dnsLookupAsync } from 'node:dns/promises'
import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'
import { buildConnector } from 'undici'

type Lookup = typeof dnsLookup
type LookupResult = { address: string; family: number }

/**
 * Which addresses given by users the service may connect to. Public addresses: always, over https. Loopback: only if `loopback`
 * is true, also over http. `allow`: further networks (CIDR) that the operator trusts, over https. An allowed network does not
 * allow the same addresses behind NAT64; an allowed NAT64 prefix reaches only addresses that are allowed themselves.
 */
export type AddressRules = {
  loopback: boolean
  allow: string[]
  /** Name resolution; the system's unless a test replaces it. */
  lookup?: Lookup
}

/** The rules as they hold for one store: only what a sandbox store names may be on this machine. */
export function rulesFor(store: { sandbox: boolean }, rules: AddressRules): AddressRules {
  return { ...rules, loopback: rules.loopback && store.sandbox }
}

/** Thrown at connect time: the address is not allowed. */
class AddressRefused extends Error {
  readonly code = 'ADDRESS_REFUSED'
}

// Unicast according to ipaddr.js but not public: IPv4-compatible IPv6, which reaches the embedded IPv4 address, and the address
// of the host of an Azure machine.
const EXTRA_DENIED = ['::/96', '168.63.129.16/32'].map((cidr) => ipaddr.parseCIDR(cidr))
const GLOBAL_V6 = ipaddr.IPv6.parseCIDR('2000::/3')
const NAT64 = ipaddr.IPv6.parseCIDR('64:ff9b::/96')

/** Throws for the first entry of the allow-list that is not a network in CIDR notation. */
export function checkNetworks(networks: string[]): void {
  for (const network of networks) {
    if (!ipaddr.isValidCIDR(network)) throw new Error(`${network} must be a network such as 10.20.0.0/16`)
  }
}

function within(address: ipaddr.IPv4 | ipaddr.IPv6, [network, bits]: [ipaddr.IPv4 | ipaddr.IPv6, number]): boolean {
  return address.kind() === network.kind() && address.match(network as never, bits)
}

/** The network by which a caller is counted: an address of IPv4 itself, of IPv6 the first 64 bits; other text unchanged. */
export function networkOf(literal: string): string {
  if (!ipaddr.isValid(literal)) return literal
  const address = ipaddr.process(literal)
  if (address.kind() === 'ipv4') return address.toString()
  return `${ipaddr.fromByteArray([...address.toByteArray().slice(0, 8), ...new Array(8).fill(0)]).toString()}/64`
}

/** Whether we may connect to this literal address. */
export function isAllowedAddress(literal: string, rules: AddressRules): boolean {
  if (!ipaddr.isValid(literal)) return false
  // Treats ::ffff:127.0.0.1 as 127.0.0.1.
  const address = ipaddr.process(literal)
  if (rules.allow.some((network) => within(address, ipaddr.parseCIDR(network)))) {
    // A loopback address behind NAT64 is the translator's, not this machine's.
    return !within(address, NAT64) || isAllowedAddress(lastFourBytes(address), { ...rules, loopback: false })
  }
  const range = address.range()
  if (range === 'loopback') return rules.loopback
  if (range !== 'unicast' || EXTRA_DENIED.some((network) => within(address, network))) return false
  return address.kind() === 'ipv4' || (within(address, GLOBAL_V6) && !isIsatap(address))
}

function lastFourBytes(address: ipaddr.IPv4 | ipaddr.IPv6): string {
  return address.toByteArray().slice(-4).join('.')
}

/** Whether the address is an ISATAP address (RFC 5214), which embeds an IPv4 address that routers deliver to. */
function isIsatap(address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  const [universal, zero, ...marker] = address.toByteArray().slice(8, 12)
  return (universal === 0 || universal === 2) && zero === 0 && marker[0] === 0x5e && marker[1] === 0xfe
}

function isLoopbackLiteral(literal: string): boolean {
  return ipaddr.isValid(literal) && ipaddr.process(literal).range() === 'loopback'
}

function isLocalName(host: string): boolean {
  return host === 'localhost' || host.endsWith('.localhost')
}

/** The host of a URL as `net` accepts it: no brackets, no final dots. */
function hostOf(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, '').replace(/\.+$/, '')
}

/**
 * What is wrong with the text of a receiver's URL, as the rest of a sentence that starts with the field's name; null if nothing.
 * WHATWG parsing has already turned 0x7f.1, 2130706433 and similar forms into 127.0.0.1.
 */
export function urlProblem(text: string, rules: AddressRules): string | null {
  if (text.length > 2048) return 'must have at most 2,048 characters'
  // URL parsers disagree about these characters, and so about where the host ends.
  if (/[\s\\\p{Cc}]/u.test(text)) return 'must not have spaces, control characters or backslashes'
  const url = URL.parse(text)
  if (!url) return 'must be an absolute https:// URL'
  const host = hostOf(url)
  const local = isLocalName(host) || isLoopbackLiteral(host)
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && rules.loopback && local)) {
    return rules.loopback
      ? 'must be an https:// URL, or http:// to this machine (127.0.0.1, localhost)'
      : 'must be an https:// URL'
  }
  if (url.username || url.password) return 'must not contain a user name or password'
  if (url.port === '0') return 'must not have port 0'
  if (url.hash) return 'must not contain a fragment (#…)'
  if (isIP(host) ? !isAllowedAddress(host, rules) : isLocalName(host) && !rules.loopback) {
    return `must not point to a private, local or reserved address (${host})`
  }
  return null
}

/**
 * The same for the addresses that the URL's host name resolves to now. It gives early feedback; the check at connect time is
 * the one that protects, since a name may resolve differently later. A name that does not resolve yet is accepted.
 */
export async function resolvedProblem(text: string, rules: AddressRules): Promise<string | null> {
  const host = hostOf(new URL(text))
  if (isIP(host)) return null
  const addresses = await resolve(host, rules).catch(() => [])
  const denied = addresses.find(({ address }) => !isAllowedAddress(address, rules))
  return denied ? `must not point to a private, local or reserved address (${host} is ${denied.address})` : null
}

function resolve(host: string, { lookup }: AddressRules): Promise<LookupResult[]> {
  if (!lookup) return dnsLookupAsync(host, { all: true })
  return new Promise((done, fail) => lookup(host, { all: true }, (err, found) => (err ? fail(err) : done(found))))
}

/**
 * An undici connector that checks addresses: a literal address before connecting (undici does not resolve literals), and a name
 * when it is resolved. One denied address refuses the name. It connects to the addresses that were checked. Plain http is for
 * loopback only.
 */
export function guardedConnector(rules: AddressRules, options: { timeout: number }): buildConnector.connector {
  const connectBy = (allowed: (address: string) => boolean) =>
    buildConnector({
      ...options,
      allowH2: false,
      // Certificates are checked even if NODE_TLS_REJECT_UNAUTHORIZED is 0.
      rejectUnauthorized: true,
      lookup: guardedLookup(rules.lookup ?? dnsLookup, allowed)
    })
  const overHttps = (address: string) => isAllowedAddress(address, rules)
  const overHttp = (address: string) => rules.loopback && isLoopbackLiteral(address)
  const https = connectBy(overHttps)
  const http = connectBy(overHttp)

  return (target, callback) => {
    const secure = target.protocol === 'https:'
    if (isIP(target.hostname) && !(secure ? overHttps : overHttp)(target.hostname)) {
      callback(new AddressRefused(`No connection to ${target.hostname}: the address is not allowed`), null)
      return
    }
    ;(secure ? https : http)(target, callback)
  }
}

function guardedLookup(lookup: Lookup, allowed: (address: string) => boolean) {
  return (
    host: string,
    options: { all?: boolean; family?: number | string; hints?: number },
    callback: (err: Error | null, address: string | LookupResult[], family?: number) => void
  ) => {
    lookup(host, { family: options.family as never, hints: options.hints, all: true }, (err, addresses) => {
      if (err) return callback(err, [])
      const denied = addresses.find(({ address }) => !allowed(address))
      if (denied || addresses.length === 0) {
        const reason = denied ? `it resolves to ${denied.address}, which is not allowed` : 'it resolves to no address'
        return callback(new AddressRefused(`No connection to ${host}: ${reason}`), [])
      }
      if (options.all) return callback(null, addresses)
      callback(null, addresses[0]!.address, addresses[0]!.family)
    })
  }
}
