import { lookup as dnsLookup } from 'node:dns'
import { lookup as dnsLookupAsync } from 'node:dns/promises'
import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'
import { buildConnector } from 'undici'

type Lookup = typeof dnsLookup
type LookupResult = { address: string; family: number }

/**
 * Where the service may connect to on someone else's word. Public addresses over https always; loopback, over http too,
 * only where `loopback` says so; `allow` lists further networks (CIDR) that the operator trusts, over https. A listed
 * network opens itself alone, not the same addresses behind a translator; a listed NAT64 prefix opens what it leads to
 * only where that is allowed too.
 */
export type AddressRules = {
  loopback: boolean
  allow: string[]
  /** Name resolution; the system's unless a test stands in for the DNS. */
  lookup?: Lookup
}

/** Thrown at connect time: the address is one that we do not connect to. */
class AddressRefused extends Error {
  readonly code = 'ADDRESS_REFUSED'
}

// Unicast by ipaddr.js, and yet no place for us: IPv4-compatible IPv6 (it leads to the IPv4 address within), and the
// address by which Azure's machines reach their host.
const EXTRA_DENIED = ['::/96', '168.63.129.16/32'].map((cidr) => ipaddr.parseCIDR(cidr))
const GLOBAL_V6 = ipaddr.IPv6.parseCIDR('2000::/3')
const NAT64 = ipaddr.IPv6.parseCIDR('64:ff9b::/96')

/** Throws with a sentence that names the setting when a network of the allow-list is none. */
export function checkNetworks(networks: string[]): void {
  for (const network of networks) {
    if (!ipaddr.isValidCIDR(network)) throw new Error(`${network} is no network such as 10.20.0.0/16`)
  }
}

function within(address: ipaddr.IPv4 | ipaddr.IPv6, [network, bits]: [ipaddr.IPv4 | ipaddr.IPv6, number]): boolean {
  return address.kind() === network.kind() && address.match(network as never, bits)
}

/** Whether we may connect to this literal address. */
export function isAllowedAddress(literal: string, rules: AddressRules): boolean {
  if (!ipaddr.isValid(literal)) return false
  // 127.0.0.1 and ::ffff:127.0.0.1 are one place.
  const address = ipaddr.process(literal)
  if (rules.allow.some((network) => within(address, ipaddr.parseCIDR(network)))) {
    // The translator's loopback is not ours.
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

/** An IPv6 address by which a router reaches the IPv4 address at its end (RFC 5214). */
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

/** The host of a URL as `net` takes it: no brackets, no final dots. */
function hostOf(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, '').replace(/\.+$/, '')
}

/**
 * What is wrong with a receiver's URL as far as the text tells, as the rest of a sentence that begins with the field's
 * name; null when nothing is. WHATWG parsing has already turned 0x7f.1, 2130706433 and their like into 127.0.0.1.
 */
export function urlProblem(text: string, rules: AddressRules): string | null {
  if (text.length > 2048) return 'must have at most 2,048 characters'
  // Parsers differ over these: what one drops or takes for a slash ends the host for another.
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
  if (url.username || url.password) return 'must not carry a user name or password'
  if (url.port === '0') return 'must not have port 0'
  if (url.hash) return 'must not carry a fragment (#…)'
  if (isIP(host) ? !isAllowedAddress(host, rules) : isLocalName(host) && !rules.loopback) {
    return `must not point to a private, local or reserved address (${host})`
  }
  return null
}

/**
 * The same for what the URL's name resolves to now. A courtesy to whoever types it: what counts is the check at connect
 * time, since a name may answer differently later. A name that does not resolve yet is no problem.
 */
export async function resolvedProblem(text: string, rules: AddressRules): Promise<string | null> {
  const host = hostOf(new URL(text))
  if (isIP(host)) return null
  const answers = await resolve(host, rules).catch(() => [])
  const denied = answers.find(({ address }) => !isAllowedAddress(address, rules))
  return denied ? `must not point to a private, local or reserved address (${host} is ${denied.address})` : null
}

function resolve(host: string, { lookup }: AddressRules): Promise<LookupResult[]> {
  if (!lookup) return dnsLookupAsync(host, { all: true })
  return new Promise((done, fail) => lookup(host, { all: true }, (err, answers) => (err ? fail(err) : done(answers))))
}

/**
 * An undici connector that refuses by address: a literal before it connects (undici resolves no literal), a name when
 * ANY of its addresses is denied, and it connects to the very addresses it checked. Plain http reaches loopback only.
 */
export function guardedConnector(rules: AddressRules, options: { timeout: number }): buildConnector.connector {
  const connectBy = (allowed: (address: string) => boolean) =>
    buildConnector({
      ...options,
      allowH2: false,
      // Whatever NODE_TLS_REJECT_UNAUTHORIZED says.
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
      callback(new AddressRefused(`No connection to ${target.hostname}`), null)
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
    lookup(host, { family: options.family as never, hints: options.hints, all: true }, (err, answers) => {
      if (err) return callback(err, [])
      const denied = answers.find(({ address }) => !allowed(address))
      if (denied || answers.length === 0) {
        return callback(new AddressRefused(`No connection to ${host}: it is ${denied?.address ?? 'nowhere'}`), [])
      }
      if (options.all) return callback(null, answers)
      callback(null, answers[0]!.address, answers[0]!.family)
    })
  }
}
