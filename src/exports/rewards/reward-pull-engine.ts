import type { AddressRules } from '#kit/addresses'
import { createLeasedFlights, type Engine, nextDueBy, type Patience } from '#kit/engines'
import { openGuardedAgents } from '#kit/outbound'
import type { Database } from '#kit/postgres'
import type { Vault } from '#kit/secrets'
import { type FetchedPage, fetchBalancePage } from './pull/fetch-page.ts'
import {
  type ClaimedPull,
  claimPulls,
  dueRewardPulls,
  extendPullLeases,
  nextRewardPullAt,
  releaseRewardPulls
} from './pull/pull-queries.ts'
import { authorizationPurpose } from './pull/pull-settings.ts'
import { recordPage } from './pull/record-page.ts'

const LEASE_MS = 120_000
/** For the whole of one page: connecting, sending, waiting, reading. */
const TIMEOUT_MS = 30_000
/** Integrations of a store that are asked at once. */
const MAX_IN_STORE = 4
/** Of all stores of a process: an answer takes up to a megabyte of memory. */
const MAX_IN_PROCESS = 32

export type RewardPullOptions = {
  db: Database
  vault: Vault
  leaseOwner: number
  /** Which addresses may be asked; `loopback` takes effect in sandbox stores only. */
  addresses: AddressRules
  patience?: Patience
  timeoutMs?: number
  /** How long a lease lasts in real time when it is not extended. */
  leaseMs?: number
}

const UNREADABLE: FetchedPage = {
  ok: false,
  isCutOff: false,
  error: 'Not asked: the authorization cannot be read by the key of this installation. Set it again',
  status: null,
  retryAfterSeconds: 0
}
const BUG: FetchedPage = { ...UNREADABLE, error: 'An error of the service, which is in its log' }

/**
 * Pulls the balances of reward points from the URLs of integrations, page by page on their schedules. A request lasts as long as the other
 * side wants, up to its limit, and holds up nothing else: it is ended where the store is left to somebody else, and asked again there.
 */
export function createRewardPullEngine(options: RewardPullOptions): Engine {
  const { db, vault, timeoutMs = TIMEOUT_MS, leaseMs = LEASE_MS } = options
  const lease = { leaseOwner: options.leaseOwner, leaseMs }
  const agents = openGuardedAgents(options.addresses, { timeoutMs })
  const underWay = new Map<AbortController, number>()

  const flights = createLeasedFlights<ClaimedPull, FetchedPage>({
    leaseMs,
    patience: options.patience,
    extend: (storeId, pulls) => db.inStore(storeId, (ctx) => extendPullLeases(ctx, pulls, lease)),
    record: (storeId, pieces) =>
      Promise.allSettled(
        pieces.map(({ things: [pull], end }) =>
          db.inStore(storeId, (ctx) => recordPage(ctx, pull!, end.status === 'fulfilled' ? end.value : BUG))
        )
      )
  })

  const ask = async (
    storeId: number,
    { key, url, pageAfter, isSandbox, ...pull }: ClaimedPull
  ): Promise<FetchedPage> => {
    const cutOff = new AbortController()
    underWay.set(cutOff, storeId)
    try {
      let authorization: string | null = null
      try {
        const sealed = pull.sealedAuthorization
        authorization = sealed && vault.open(authorizationPurpose(storeId, key, url), sealed)
      } catch {
        return UNREADABLE
      }
      const asked = { url, authorization, cursor: pageAfter }
      return await fetchBalancePage(agents.of({ sandbox: isSandbox }), asked, { timeoutMs, cutOff: cutOff.signal })
    } finally {
      underWay.delete(cutOff)
    }
  }

  const begin = (storeId: number, limit: number): Promise<number> =>
    flights.claim(storeId, async (except) => {
      const claimed = await db.inStore(storeId, (ctx) => claimPulls(ctx, { ...lease, limit, except }))
      return claimed.map((pull) => ({ things: [pull], work: () => ask(storeId, pull) }))
    })

  return {
    name: 'reward-pulls',
    stage: 'others',
    releaseLeases: releaseRewardPulls,
    realTime: true,
    due: dueRewardPulls,
    ...nextDueBy(db, nextRewardPullAt),
    async runOnce(storeId) {
      const limit = Math.min(flights.free(storeId, MAX_IN_STORE), MAX_IN_PROCESS - underWay.size)
      const claimed = limit > 0 ? await begin(storeId, limit) : 0
      const ended = await flights.record(storeId)
      return claimed || flights.load(storeId).underWay || ended
    },
    async endUnderWay(storeId) {
      for (const [cutOff, of] of underWay) if (of === storeId) cutOff.abort()
      await flights.endUnderWay(storeId)
    },
    letGo: flights.letGo,
    keptLong: flights.keptLong
  }
}
