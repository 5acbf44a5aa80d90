import { createHash } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { type Claim, claimKeys, peekKey, storeResponses } from '#kit/idempotency'
import type { Ctx } from '#kit/postgres'
import { invalidField } from '#kit/refusal'
import { pathOf } from './errors.ts'

const HEADER = 'Idempotency-Key'

const ACCEPTED_KEY = '1 to 255 visible ASCII characters without spaces'

/** What the header accepts. */
export const IdempotencyKey = Type.String({
  minLength: 1,
  maxLength: 255,
  pattern: '^[\\x21-\\x7e]*$',
  description: ACCEPTED_KEY
})
const isKey = Compile(IdempotencyKey)

/** How a response is written for its repetitions, and read again. */
export type Keeping<Body> = { keep: (body: Body) => string; restore: (kept: string) => Body }

// biome-ignore lint/suspicious/noExplicitAny: it is for every body.
const AS_IT_IS: Keeping<any> = { keep: (body) => JSON.stringify(body), restore: (kept) => JSON.parse(kept) }

/**
 * Carries out a writing request once: with an `Idempotency-Key`, a repetition within 24 hours gets the first response
 * again, with `Idempotent-Replayed: true`. Key, effect and response are one transaction. A refusal has no effect and is not
 * stored.
 */
export async function withIdempotency<Body extends object>(
  request: FastifyRequest,
  reply: FastifyReply,
  work: (ctx: Ctx) => Promise<Body>,
  { keep, restore }: Keeping<Body> = AS_IT_IS
): Promise<Body> {
  const claim = claimOf(request)
  if (!claim) return request.inStore(work)
  const { response: result, isReplayed } = await request.inStore(async (ctx) => {
    const [claimed] = await claimKeys(ctx, [claim])
    if (claimed!.state === 'other') throw idempotencyKeyReused()
    if (claimed!.state === 'stored') return { response: restore(claimed!.response.body), isReplayed: true }
    const result = await work(ctx)
    storeResponses(ctx, [{ key: claim.key, status: 200, body: keep(result) }])
    return { response: result, isReplayed: false }
  })
  if (isReplayed) reply.header('idempotent-replayed', 'true')
  return result
}

/**
 * The stored response to a repetition, before work that must not wait in a transaction; null when there is none. Refuses a key of
 * another request.
 */
export async function replayed<Body extends object>(
  request: FastifyRequest,
  reply: FastifyReply,
  { restore }: Keeping<Body> = AS_IT_IS
): Promise<Body | null> {
  const claim = claimOf(request)
  const found = claim && (await request.inStore((ctx) => peekKey(ctx, claim)))
  if (found?.state === 'other') throw idempotencyKeyReused()
  if (found?.state !== 'stored') return null
  reply.header('idempotent-replayed', 'true')
  return restore(found.response.body)
}

/** The key of a request and the fingerprint of the request; null without a key. Refuses a key of another form. */
export function claimOf(request: FastifyRequest): Claim | null {
  const key = request.headers['idempotency-key']
  if (key === undefined) return null
  if (!isKey.Check(key)) throw invalidField(HEADER, `must have ${ACCEPTED_KEY}`)
  return { key, fingerprint: fingerprintOf(request) }
}

/** Identifies what a request asks for: the same for its repetition, and for no other request. */
export function fingerprintOf(request: FastifyRequest): Buffer {
  const fingerprint = `${request.method} ${pathOf(request.url)}\n${JSON.stringify(sorted(request.body))}`
  return createHash('sha256').update(fingerprint).digest()
}

export const idempotencyKeyReused = () =>
  invalidField(HEADER, 'was used with another request within 24 hours; use a new key for a new request')

/** With sorted fields, because their order does not make another request. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, field]) => [name, sorted(field)])
  )
}
