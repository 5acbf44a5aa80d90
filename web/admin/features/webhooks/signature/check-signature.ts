/** What a receiver has of a delivery. */
export type Received = { secret: string; headers: string; body: string }

/** Why a signature is not right, as far as that can be found out. */
export type Reason =
  | 'secretPrefix'
  | 'secretSpace'
  | 'secretEncoded'
  | 'secretAsText'
  | 'compact'
  | 'newline'
  | 'noPrefix'
  | 'base64'
  | 'upperCase'
  | 'idMissing'
  | 'timestampMissing'
  | 'onlyBody'
  | 'secretForm'
  | 'other'

export type Finding = { header: string; given: string; expected: string | null; reason: Reason | null }

const PREFIX = 'whsec_'
const CONTRACT_HEADERS = ['x-svc-signature', 'x-svc-signature-next']
const NAMES: Record<string, string> = {
  'x-svc-signature': 'X-Svc-Signature',
  'x-svc-signature-next': 'X-Svc-Signature-Next'
}

/** Headers by their names in small letters. A signature alone, without its name, has that of its form. */
export function headersIn(text: string): Map<string, string> {
  const found = new Map<string, string>()
  for (const line of text.split('\n').map((one) => one.trim())) {
    const [, name, value] = /^([A-Za-z0-9-]+)\s*:\s*(.*)$/.exec(line) ?? []
    if (name) found.set(name.toLowerCase(), value!.trim())
    else if (/^v1,/.test(line)) found.set('webhook-signature', line)
    else if (/^(sha256=.+|[0-9a-fA-F]{64})$/.test(line)) found.set('x-svc-signature', line)
  }
  return found
}

/** Computes each signature that the headers have, and says what differs. Nothing leaves the browser. */
export async function checkSignatures({ secret, headers, body }: Received): Promise<Finding[]> {
  const given = headersIn(headers)
  const findings: Finding[] = []
  for (const header of CONTRACT_HEADERS) {
    const value = given.get(header)
    if (value !== undefined) findings.push({ header: NAMES[header]!, ...(await checkContract(secret, body, value)) })
  }
  const standard = given.get('webhook-signature')
  if (standard !== undefined) {
    findings.push({ header: 'webhook-signature', ...(await checkStandard(secret, body, standard, given)) })
  }
  return findings
}

type Checked = Omit<Finding, 'header'>

async function checkContract(secret: string, body: string, given: string): Promise<Checked> {
  const digest = await hmac(asText(secret), body)
  const expected = `sha256=${hex(digest)}`
  const checked = (reason: Reason | null): Checked => ({ given, expected, reason })
  if (given === expected) return checked(null)
  if (given === hex(digest)) return checked('noPrefix')
  if (given.toLowerCase() === expected) return checked('upperCase')
  if (given.replace(/^sha256=/, '') === base64(digest)) return checked('base64')

  const is = async (key: Uint8Array | null, text: string) =>
    key !== null && given.toLowerCase() === `sha256=${hex(await hmac(key, text))}`
  if (await is(asText(secret.trim()), body)) return checked('secretSpace')
  if (await is(asText(secret.replace(PREFIX, '')), body)) return checked('secretPrefix')
  if (await is(decoded(secret), body)) return checked('secretEncoded')
  if (await is(asText(secret), body.replace(/\r?\n$/, ''))) return checked('newline')
  if (await is(asText(secret), compact(body))) return checked('compact')
  return checked(formOf(secret))
}

async function checkStandard(
  secret: string,
  body: string,
  given: string,
  headers: Map<string, string>
): Promise<Checked> {
  const id = headers.get('webhook-id')
  const timestamp = headers.get('webhook-timestamp')
  if (!id) return { given, expected: null, reason: 'idMissing' }
  if (!timestamp) return { given, expected: null, reason: 'timestampMissing' }
  const key = decoded(secret)
  if (!key) return { given, expected: null, reason: 'secretForm' }

  const signed = (text: string) => `${id}.${timestamp}.${text}`
  const right = base64(await hmac(key, signed(body)))
  const expected = `v1,${right}`
  const checked = (reason: Reason | null): Checked => ({ given, expected, reason })
  // Several, separated by spaces, while the secret is being rolled.
  const all = given.split(' ')
  if (all.includes(expected)) return checked(null)
  if (all.includes(right)) return checked('noPrefix')

  const is = async (used: Uint8Array, text: string) => all.includes(`v1,${base64(await hmac(used, text))}`)
  if (await is(asText(secret), signed(body))) return checked('secretAsText')
  if (await is(key, body)) return checked('onlyBody')
  if (await is(key, signed(body.replace(/\r?\n$/, '')))) return checked('newline')
  if (await is(key, signed(compact(body)))) return checked('compact')
  return checked(formOf(secret))
}

const formOf = (secret: string): Reason => (/^whsec_[A-Za-z0-9+/]{43}=$/.test(secret.trim()) ? 'other' : 'secretForm')

const asText = (text: string) => new TextEncoder().encode(text)

/** The bytes that a secret encodes; null when it encodes none. */
function decoded(secret: string): Uint8Array<ArrayBuffer> | null {
  try {
    const bytes = atob(secret.trim().replace(PREFIX, ''))
    return bytes === '' ? null : Uint8Array.from(bytes, (one) => one.charCodeAt(0))
  } catch {
    return null
  }
}

/** JSON without spaces; another text as it is. */
function compact(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body))
  } catch {
    return body
  }
}

async function hmac(key: Uint8Array, text: string): Promise<Uint8Array> {
  const algorithm = { name: 'HMAC', hash: 'SHA-256' }
  const imported = await crypto.subtle.importKey('raw', new Uint8Array(key), algorithm, false, ['sign'])
  return new Uint8Array(await crypto.subtle.sign('HMAC', imported, asText(text)))
}

const hex = (bytes: Uint8Array) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')

const base64 = (bytes: Uint8Array) => btoa(String.fromCharCode(...bytes))
