import { argon2, randomBytes, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'

/** Least cost of argon2id that OWASP recommends: 19 MiB, two passes. */
const COST = { memory: 19 * 1024, passes: 2, parallelism: 1, tagLength: 32 }
const NONCE_BYTES = 16
const FORMAT = /^\$argon2id\$m=(\d+),t=(\d+),p=(\d+)\$([\w-]+)\$([\w-]+)$/

const derive = promisify(argon2)

/** A password as it is stored: argon2id with its cost and salt, so that another cost later reads older ones. */
export async function hashPassword(password: string): Promise<string> {
  const nonce = randomBytes(NONCE_BYTES)
  const tag = await derive('argon2id', { ...COST, message: password.normalize('NFKC'), nonce })
  const { memory, passes, parallelism } = COST
  return `$argon2id$m=${memory},t=${passes},p=${parallelism}$${nonce.toString('base64url')}$${tag.toString('base64url')}`
}

/** Whether a password is the stored one. Throws for a stored text that is none of `hashPassword`. */
export async function isPassword(stored: string, password: string): Promise<boolean> {
  const [, memory, passes, parallelism, nonce, tag] = FORMAT.exec(stored) ?? []
  if (!tag) throw new Error('The stored password has a format that this version does not support')
  const expected = Buffer.from(tag, 'base64url')
  const found = await derive('argon2id', {
    ...{ memory: Number(memory), passes: Number(passes), parallelism: Number(parallelism) },
    ...{ message: password.normalize('NFKC'), nonce: Buffer.from(nonce!, 'base64url'), tagLength: expected.length }
  })
  return timingSafeEqual(found, expected)
}
