import { networkOf } from '#kit/addresses'
import { isBusy, isOutage } from '#kit/postgres'
import { RateLimited } from './rate-limited.ts'
import type { RateLimiter } from './rate-limiter.ts'

const GUESSES = { perMinute: 10, perDay: null }
/** Windows belong to stores; a guess belongs to none, and no store has this number. */
const NO_STORE = 0
/** So many networks are remembered here, of each kind; the others are found in the database. */
const MAX_REMEMBERED = 10_000

/** What is guessed: by which name it is counted, and what messages call it. */
const OPERATOR_TOKENS = { bucket: 'guess', what: 'operator tokens' }

/** Too many wrong credentials came from one address. */
export class TooManyGuesses extends RateLimited {
  readonly retryAfterSeconds: number

  constructor(retryAfterSeconds: number, what: string) {
    super({ limit: GUESSES.perMinute, window: 'minute' }, `wrong ${what} from this address`)
    this.retryAfterSeconds = retryAfterSeconds
  }
}

type Counted = { admitted: boolean; retryAfter: number }

/** Each throws TooManyGuesses for an address that has used up its guesses. */
export type GuessLimiter = {
  /** To be called before a credential is compared: throws for an address that this node has refused already. */
  refuseKnown(address: string): void
  /** Counts a wrong credential. */
  countWrong(address: string): Promise<void>
  /** For a right credential, which may have been guessed. */
  checkRight(address: string): Promise<void>
}

/**
 * Ten wrong credentials a minute from one address, counted in the database over all nodes. After that the address is refused until
 * the minute ends, with the right credential too: otherwise the limit would slow no guesser. Other addresses do not notice. An
 * address of IPv6 counts with its network, since one customer of a provider has 2^64 addresses. While the database does not
 * respond, each node counts by itself, so that the operator learns what is wrong and a guesser gains little.
 */
export function createGuessLimiter(
  limiter: Pick<RateLimiter, 'count' | 'usedThisMinute'>,
  { bucket, what } = OPERATOR_TOKENS
): GuessLimiter {
  /** When networks that are shut out may guess again, in milliseconds of `performance.now()`. */
  const shutOut = new Map<string, number>()
  /** Wrong credentials whose count is under way: the database does not know them yet. */
  const underWay = new Map<string, number>()

  /** Wrong credentials that came to this node since a time in milliseconds of `performance.now()`, for a minute. */
  const here = new Map<string, { since: number; wrong: number }>()

  const countHere = (network: string) => {
    const { since, wrong } = wrongHere(network)
    if (!here.has(network) && here.size >= MAX_REMEMBERED) here.delete(here.keys().next().value!)
    here.set(network, { since, wrong: wrong + 1 })
  }
  const wrongHere = (network: string) => {
    const found = here.get(network)
    if (found && performance.now() - found.since < 60_000) return found
    here.delete(network)
    return { since: performance.now(), wrong: 0 }
  }
  /** What the database says, and while it does not respond what this node knows. */
  const orByNode = async <T>(asked: Promise<T>, network: string, known: (wrong: number, retryAfter: number) => T) => {
    try {
      return await asked
    } catch (err) {
      if (!isOutage(err) && !isBusy(err)) throw err
      const { since, wrong } = wrongHere(network)
      return known(wrong, Math.max(1, Math.ceil((since + 60_000 - performance.now()) / 1000)))
    }
  }

  const refuse = (network: string, retryAfterSeconds: number): never => {
    if (shutOut.size >= MAX_REMEMBERED) shutOut.delete(shutOut.keys().next().value!)
    shutOut.set(network, performance.now() + retryAfterSeconds * 1000)
    throw new TooManyGuesses(retryAfterSeconds, what)
  }

  return {
    refuseKnown(address) {
      const network = networkOf(address)
      const until = shutOut.get(network)
      if (until === undefined) return
      const leftMs = until - performance.now()
      if (leftMs > 0) throw new TooManyGuesses(Math.ceil(leftMs / 1000), what)
      shutOut.delete(network)
    },
    async countWrong(address) {
      const network = networkOf(address)
      underWay.set(network, (underWay.get(network) ?? 0) + 1)
      countHere(network)
      try {
        const counted = limiter.count(NO_STORE, `${bucket}:${network}`, GUESSES)
        const { admitted, retryAfter } = await orByNode<Counted>(counted, network, (wrong, after) => ({
          admitted: wrong <= GUESSES.perMinute,
          retryAfter: after
        }))
        if (!admitted) refuse(network, retryAfter)
      } finally {
        const left = underWay.get(network)! - 1
        if (left > 0) underWay.set(network, left)
        else underWay.delete(network)
      }
    },
    async checkRight(address) {
      const network = networkOf(address)
      const asked = limiter
        .usedThisMinute(NO_STORE, `${bucket}:${network}`)
        .then((counted) => ({ ...counted, used: counted.used + (underWay.get(network) ?? 0) }))
      const { used, retryAfter } = await orByNode(asked, network, (wrong, after) => ({
        used: wrong,
        retryAfter: after
      }))
      if (used >= GUESSES.perMinute) refuse(network, retryAfter)
    }
  }
}
