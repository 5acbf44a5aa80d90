import { createHash } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { type Claim, claimKeys, storeResponses } from '#kit/idempotency'
import type { Ctx } from '#kit/postgres'
import { invalidField } from '#kit/refusal'
import { pathOf } from './errors.ts'

const HEADER = 'Idempotency-Key'

const ACCEPTED_KEY = '1 to 255 visible ASCII characters without spaces'

/** What the header takes. */
export const IdempotencyKey = Type.String({
  minLength: 1,
  maxLength: 255,
  pattern: '^[\\x21-\\x7e]*$',
  description: ACCEPTED_KEY
})
const isKey = Compile(IdempotencyKey)

/**
 * Answers a writing request, once: under an `Idempotency-Key` its repetition within 24 hours gets the first answer, with
 * `Idempotent-Replayed: true`. Key, effect and answer are one transaction. A refusal has no effect and is not kept.
 */
export async function withIdempotency<Answer extends object>(
  request: FastifyRequest,
  reply: FastifyReply,
  work: (ctx: Ctx) => Promise<Answer>
): Promise<Answer> {
  const claim = claimOf(request)
  if (!claim) return request.inStore(work)
  const { answer, isReplayed } = await request.inStore(async (ctx) => {
    const [claimed] = await claimKeys(ctx, [claim])
    if (claimed!.state === 'other') throw idempotencyKeyReused()
    if (claimed!.state === 'stored') return { answer: JSON.parse(claimed!.response.body) as Answer, isReplayed: true }
    const answer = await work(ctx)
    await storeResponses(ctx, [{ key: claim.key, status: 200, body: JSON.stringify(answer) }])
    return { answer, isReplayed: false }
  })
  if (isReplayed) reply.header('idempotent-replayed', 'true')
  return answer
}

/** The key that a request brings and what it stands for; null when it brings none. Refuses a key of another form. */
export function claimOf(request: FastifyRequest): Claim | null {
  const key = request.headers['idempotency-key']
  if (key === undefined) return null
  if (!isKey.Check(key)) throw invalidField(HEADER, `must have ${ACCEPTED_KEY}`)
  return { key, fingerprint: fingerprintOf(request) }
}

/** What a request asks for: the same for its repetition, and for no other. */
export function fingerprintOf(request: FastifyRequest): Buffer {
  const asked = `${request.method} ${pathOf(request.url)}\n${JSON.stringify(sorted(request.body))}`
  return createHash('sha256').update(asked).digest()
}

export const idempotencyKeyReused = () =>
  invalidField(HEADER, 'was used with another request within 24 hours; take a new key for a new request')

/** The order in which a client writes fields does not make another request. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, field]) => [name, sorted(field)])
  )
}
