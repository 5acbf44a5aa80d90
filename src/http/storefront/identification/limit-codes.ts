import type { FastifyRequest } from 'fastify'
import { networkOf } from '#kit/addresses'
import type { Budget } from '../../rate-limits/budgets.ts'
import { RateLimited } from '../../rate-limits/rate-limited.ts'
import type { RateLimiter } from '../../rate-limits/rate-limiter.ts'
import { shopperAddress } from '../../rate-limits/shopper-address.ts'

/** What one caller may ask for or try, whoever it is about; callers of a network of IPv6 count as one. */
const PER_CALLER: Budget = { perMinute: 10, perDay: 500 }
/** What is mailed to one address, whoever asks: 50 guesses a day in all. */
const PER_ADDRESS: Budget = { perMinute: 3, perDay: 10 }

type Limited = { limiter: RateLimiter; storeId: number }

/** Counts a request of a code or of a token for its caller. Throws RateLimited over the limit. */
export const limitCaller = (request: FastifyRequest, { limiter, storeId }: Limited): Promise<void> =>
  countOrRefuse(request, limiter, {
    storeId,
    family: `code_caller:${networkOf(shopperAddress(request))}`,
    budget: PER_CALLER
  })

/** Counts a code for its address, whether somebody has it or not. `addressKey` does not tell the address. */
export const limitAddress = (
  request: FastifyRequest,
  { limiter, storeId }: Limited,
  addressKey: string
): Promise<void> =>
  countOrRefuse(request, limiter, { storeId, family: `code_address:${addressKey}`, budget: PER_ADDRESS })

async function countOrRefuse(
  request: FastifyRequest,
  limiter: RateLimiter,
  { storeId, family, budget }: { storeId: number; family: string; budget: Budget }
): Promise<void> {
  const status = await limiter.count(storeId, family, budget)
  if (status.admitted) return
  // The headers are those of the limit that was reached.
  request.counted = Promise.resolve({ rateLimitStatus: status })
  throw new RateLimited(status, 'codes')
}
