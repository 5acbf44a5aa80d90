// The two signatures of a delivery, with WebCrypto, which exists wherever fetch does.

export type Bytes = Uint8Array<ArrayBuffer>
export type RawBody = string | Uint8Array | ArrayBuffer

const PREFIX = 'whsec_'
const HMAC = { name: 'HMAC', hash: 'SHA-256' }
const utf8 = new TextEncoder()

export function bytesOf(rawBody: RawBody): Bytes {
  if (typeof rawBody === 'string') return utf8.encode(rawBody)
  if (rawBody instanceof Uint8Array) return new Uint8Array(rawBody)
  if (rawBody instanceof ArrayBuffer) return new Uint8Array(rawBody)
  throw new TypeError(
    'rawBody must be the body as it came, text or bytes: what a framework has parsed cannot be checked'
  )
}

/** The key of `X-Svc-Signature` is the whole secret as text. */
export function contractKey(secret: string): Promise<CryptoKey> {
  return hmacKey(utf8.encode(secret))
}

/** The key of Standard Webhooks is the bytes of the base64 after `whsec_`. */
export function standardKey(secret: string): Promise<CryptoKey> {
  const bytes = bytesOfBase64(secret.startsWith(PREFIX) ? secret.slice(PREFIX.length) : secret)
  if (!bytes || bytes.length === 0) throw new TypeError('secret must be the text that was shown, whsec_…')
  return hmacKey(bytes)
}

const hmacKey = (bytes: Bytes) => crypto.subtle.importKey('raw', bytes, HMAC, false, ['sign', 'verify'])

/** The signed text of Standard Webhooks. */
export function standardContent(webhookId: string, timestamp: string, body: Bytes): Bytes {
  const head = utf8.encode(`${webhookId}.${timestamp}.`)
  const content = new Uint8Array(head.length + body.length)
  content.set(head)
  content.set(body, head.length)
  return content
}

export async function sign(key: CryptoKey, content: Bytes): Promise<Bytes> {
  return new Uint8Array(await crypto.subtle.sign(HMAC, key, content))
}

/** Compares in constant time. */
export function isSigned(key: CryptoKey, signature: Bytes, content: Bytes): Promise<boolean> {
  return crypto.subtle.verify(HMAC, key, signature, content)
}

export const hexOf = (bytes: Bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
export const base64Of = (bytes: Bytes) => btoa(String.fromCharCode(...bytes))

export function bytesOfHex(text: string): Bytes | null {
  if (!/^([0-9a-f]{2})+$/i.test(text)) return null
  return Uint8Array.from(text.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16))
}

export function bytesOfBase64(text: string): Bytes | null {
  try {
    return Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0))
  } catch {
    return null
  }
}
