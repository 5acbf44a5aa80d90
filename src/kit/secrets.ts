import { createCipheriv, createDecipheriv, hash, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto'
import { inspect } from 'node:util'

const SHOWN = '[secret]'

/** A value that never appears in a log line, JSON document or error message; `reveal` returns it. */
export class Secret {
  readonly #value: string

  constructor(value: string) {
    this.#value = value
  }

  reveal(): string {
    return this.#value
  }

  toString(): string {
    return SHOWN
  }

  toJSON(): string {
    return SHOWN
  }

  [inspect.custom](): string {
    return SHOWN
  }
}

/** A copy of the record whose given fields read as usual but print as [secret] when the record is logged or printed. */
export function concealed<T extends object>(record: T, fields: readonly (keyof T)[]): T {
  const shown = () => ({ ...record, ...Object.fromEntries(fields.map((field) => [field, SHOWN])) })
  return Object.defineProperties(
    { ...record },
    { toJSON: { value: shown, enumerable: false }, [inspect.custom]: { value: shown, enumerable: false } }
  )
}

/**
 * Encryption at rest. `purpose` names the field and its owner. It is authenticated with the ciphertext, so that a ciphertext
 * copied to another row or column cannot be decrypted there.
 */
export type Vault = {
  seal(purpose: string, text: string): Buffer
  /** Throws if the bytes were changed, have another purpose, or were encrypted with another master key. */
  open(purpose: string, sealed: Buffer): string
  /** A secret of this installation for one purpose, the same each time; it is stored nowhere. */
  derive(purpose: string): Secret
}

const VERSION = 1
const NONCE_BYTES = 12
const TAG_BYTES = 16
const KEY_BYTES = 32

/**
 * AES-256-GCM with a key derived (HKDF-SHA256) from the installation's master key, at least 32 bytes. Stored bytes: the version
 * of this scheme (1 byte), nonce (12), ciphertext, tag (16). The version lets later code read older rows.
 */
export function openVault(masterKey: Buffer): Vault {
  if (masterKey.length < KEY_BYTES)
    throw new Error(`The master key has ${masterKey.length} bytes; it must have 32 or more`)
  const key = Buffer.from(hkdfSync('sha256', masterKey, 'perennial', `at-rest:v${VERSION}`, KEY_BYTES))
  const bound = (purpose: string) => Buffer.from(`v${VERSION}:${purpose}`)

  return {
    derive: (purpose) =>
      new Secret(Buffer.from(hkdfSync('sha256', masterKey, 'perennial', purpose, KEY_BYTES)).toString('base64url')),
    seal(purpose, text) {
      const nonce = randomBytes(NONCE_BYTES)
      const cipher = createCipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG_BYTES }).setAAD(bound(purpose))
      const body = [cipher.update(text, 'utf8'), cipher.final()]
      return Buffer.concat([Buffer.from([VERSION]), nonce, ...body, cipher.getAuthTag()])
    },
    open(purpose, sealed) {
      if (sealed[0] !== VERSION || sealed.length < 1 + NONCE_BYTES + TAG_BYTES) {
        throw new Error(`The stored secret (${purpose}) has a format that this version does not support`)
      }
      const nonce = sealed.subarray(1, 1 + NONCE_BYTES)
      const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG_BYTES })
      decipher.setAAD(bound(purpose)).setAuthTag(sealed.subarray(-TAG_BYTES))
      try {
        return decipher.update(sealed.subarray(1 + NONCE_BYTES, -TAG_BYTES), undefined, 'utf8') + decipher.final('utf8')
      } catch (err) {
        throw new Error(
          `The stored secret (${purpose}) cannot be decrypted: was it encrypted with another master key?`,
          {
            cause: err
          }
        )
      }
    }
  }
}

/** The key of pseudonyms (`Database.pseudonym`), derived from the installation's master key: it is not in the database. */
export const pseudonymKeyOf = (masterKey: Buffer): Buffer =>
  Buffer.from(hkdfSync('sha256', masterKey, 'perennial', 'pseudonyms:v1', KEY_BYTES))

/** Whether two texts are equal, in a time that tells nothing of where they differ, nor of how long the second is. */
export function equalInConstantTime(presented: string, expected: string): boolean {
  return timingSafeEqual(sha256(presented), sha256(expected))
}

/** For looking up a random token by its hash. Not for passwords: it is fast, which a 190-bit token can afford. */
export function sha256(text: string): Buffer {
  return hash('sha256', text, 'buffer')
}

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const UNBIASED_BELOW = 256 - (256 % BASE62.length)

/** A random text of base62 characters, each with 5.95 bits: 32 of them have 190. */
export function randomToken(length = 32): string {
  let token = ''
  while (token.length < length) {
    for (const byte of randomBytes(length * 2)) {
      if (byte < UNBIASED_BELOW && token.length < length) token += BASE62[byte % BASE62.length]
    }
  }
  return token
}
