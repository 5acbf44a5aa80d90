import { createLeasedFlights, type Engine, nextDueBy, type Patience } from '#kit/engines'
import type { Ctx, Database } from '#kit/postgres'
import { recordReports } from '#orders'
import type { Connector } from '#platform'
import { storeContext } from '#stores'
import {
  type ClaimedCode,
  claimCodes,
  dueCodes,
  endClaimedCode,
  extendCodeLeases,
  letGoOfCodes,
  lockClaimedCodes,
  nextCode,
  releaseCodes
} from './claimed-codes.ts'
import { recordOutcome } from './record-outcome.ts'
import { type CodeOutcome, workOnCode } from './work-on-code.ts'

const LEASE_MS = 120_000
/** Codes of a store that are worked on at once. */
const MAX_AT_ONCE = 20

type Ended = { claimed: ClaimedCode; outcome: CodeOutcome }

type Deps = {
  db: Database
  leaseOwner: number
  connectorOf: (storeId: number) => Promise<Connector>
  /** No call of the platform takes longer. */
  maxCallMs: number
  patience?: Patience
  /** How long a lease lasts in real time when it is not extended; two minutes when left out. */
  leaseMs?: number
}

/**
 * Makes the wanted codes on the platform, and takes off it those that are over. A code is unique there, so one whose answer was lost is found by
 * itself. The credit of a code is released only when the platform takes it no more and no order is known to have used it.
 */
export function createCodeEngine({
  db,
  leaseOwner,
  connectorOf,
  maxCallMs,
  patience,
  leaseMs = LEASE_MS
}: Deps): Engine {
  const lease = { leaseOwner, leaseMs }
  const flights = createLeasedFlights<ClaimedCode, Ended>({
    leaseMs,
    patience,
    extend: (storeId, codes) => db.inStore(storeId, (ctx) => extendCodeLeases(ctx, codes, lease)),
    record: async (storeId, pieces) => {
      const ended = pieces.flatMap(({ end }) => (end.status === 'fulfilled' ? [end.value] : []))
      await db.inStore(storeId, (ctx) => recordEnded(ctx, ended))
      // A piece that threw has nothing to record: its code is claimed again when its lease is over.
      return pieces.map(() => ({ status: 'fulfilled' as const, value: null }))
    }
  })

  const begin = (storeId: number, limit: number): Promise<number> =>
    flights.claim(storeId, async (except) => {
      const connector = await connectorOf(storeId)
      const from = performance.now()
      const { claimed, currency, now } = await db.inStore(storeId, async (ctx) => ({
        // A call that begins now ends within a quarter more; what the platform still does with it, somewhat later.
        claimed: await claimCodes(ctx, { ...lease, limit, except, settleMs: maxCallMs * 1.5 }),
        currency: (await storeContext(ctx)).currency,
        now: ctx.now
      }))
      const calls = { connector, currency, now, endBy: from + maxCallMs * 1.25 }
      return claimed.map((code) => ({
        things: [code],
        work: async () => ({ claimed: code, outcome: await workOnCode(calls, code) })
      }))
    })

  return {
    name: 'credit-codes',
    stage: 'others',
    releaseLeases: releaseCodes,
    needsPlatform: true,
    restsAfterRestore: true,
    due: dueCodes,
    ...nextDueBy(db, nextCode),
    async runOnce(storeId) {
      const limit = flights.free(storeId, MAX_AT_ONCE)
      const claimed = limit > 0 ? await begin(storeId, limit) : 0
      const ended = await flights.record(storeId)
      return claimed || flights.load(storeId).underWay || ended
    },
    endUnderWay: flights.endUnderWay,
    letGo: flights.letGo,
    keptLong: flights.keptLong
  }
}

/** Orders come before codes in the order of locks, and codes before accounts of credit. */
async function recordEnded(ctx: Ctx, ended: Ended[]): Promise<void> {
  const orders = ended.flatMap(({ outcome }) => (outcome.step === 'used' ? [...outcome.orders.values()] : []))
  const others = { refunds: [], transactions: [], disputes: [] }
  if (orders.length > 0) await recordReports(ctx, { ...others, orders }, 'platform')
  const codes = ended.map(({ claimed }) => claimed)
  const locked = await lockClaimedCodes(ctx, codes)
  for (const { claimed, outcome } of ended) {
    const code = locked.get(claimed.id)
    if (!code) continue
    const end = await recordOutcome(ctx, claimed, code, outcome)
    if (end) await endClaimedCode(ctx, end)
  }
  await letGoOfCodes(ctx, codes)
}
