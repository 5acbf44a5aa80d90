import type { FastifyReply, FastifyRequest } from 'fastify'
import { Refusal, type RefusalCode } from '#kit/refusal'
import { createGuessLimiter, TooManyGuesses } from '../rate-limits/guess-limiter.ts'
import type { RateLimiter } from '../rate-limits/rate-limiter.ts'

/** What a wrong password, code or link is refused as. */
const WRONG: readonly RefusalCode[] = ['authentication_failed', 'invalid_request', 'not_found']

/** Runs what compares a credential; refuses an address from which ten were wrong within a minute, with a right one too. */
export type AsGuess = <T>(request: FastifyRequest, reply: FastifyReply, compare: () => Promise<T>) => Promise<T>

/** Counts wrong credentials of all ways to sign in together, over all nodes. */
export function createGuesses(limiter: RateLimiter): AsGuess {
  const guesses = createGuessLimiter(limiter, { bucket: 'sign-in', what: 'passwords, codes and links' })
  return async (request, reply, compare) => {
    try {
      guesses.refuseKnown(request.ip)
      const compared = await compare().catch(async (err) => {
        if (err instanceof Refusal && WRONG.includes(err.code)) await guesses.countWrong(request.ip)
        throw err
      })
      await guesses.checkRight(request.ip)
      return compared
    } catch (err) {
      // A session that was begun meanwhile is not told.
      reply.removeHeader('set-cookie')
      if (err instanceof TooManyGuesses) reply.header('retry-after', err.retryAfterSeconds)
      throw err
    }
  }
}
