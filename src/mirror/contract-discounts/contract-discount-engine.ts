import { createLeasedFlights, type Engine, nextDueBy, type Patience, portionsOf } from '#kit/engines'
import type { Ctx, Database } from '#kit/postgres'
import { storableError } from '#kit/storable-json'
import { findMainPlans, listPlans, tierPlansOf } from '#plans'
import type { Connector } from '#platform'
import { enqueueContractSync } from '#subscriptions'
import { minutesUntilRetry } from '../retry-after.ts'
import { type Compared, type ComparisonPlans, compareContracts } from './compare-contracts.ts'
import {
  type ClaimedContract,
  type ContractEnd,
  claimContracts,
  dueContractDiscounts,
  endContracts,
  extendContractLeases,
  listOtherwiseRecorded,
  nextContractDiscount,
  releaseContractDiscounts
} from './contract-discount-queries.ts'

const LEASE_MS = 120_000
/** Compared by one piece of work. */
const TOGETHER = 8
/** Contracts of a store that are compared at once. */
const MAX_AT_ONCE = 32
/** Nobody reports that a product has other tags, is in other collections, or that somebody else removed a discount. */
const COMPARED_EVERY_HOURS = 24

type Ended = { claimed: ClaimedContract[]; compared: Compared[] }

type Deps = {
  db: Database
  leaseOwner: number
  connectorOf: (storeId: number) => Promise<Connector>
  patience?: Patience
  /** How long a lease lasts in real time when it is not extended; two minutes when left out. */
  leaseMs?: number
}

/**
 * Keeps the discounts that members have on the renewals of their product subscriptions: compares due contracts with what the plans want,
 * and corrects them through drafts. What is on a contract is read before anything is written, so that no discount is given twice.
 */
export function createContractDiscountEngine({
  db,
  leaseOwner,
  connectorOf,
  patience,
  leaseMs = LEASE_MS
}: Deps): Engine {
  const lease = { leaseOwner, leaseMs }
  const flights = createLeasedFlights<ClaimedContract, Ended>({
    leaseMs,
    patience,
    extend: (storeId, contracts) => db.inStore(storeId, (ctx) => extendContractLeases(ctx, contracts, lease)),
    record: async (storeId, pieces) => {
      const ended = pieces.flatMap(({ end }) => (end.status === 'fulfilled' ? [end.value] : []))
      await db.inStore(storeId, (ctx) => recordEnded(ctx, ended))
      // A piece that threw has nothing to record: its contracts are claimed again when their leases are over.
      return pieces.map(() => ({ status: 'fulfilled' as const, value: null }))
    }
  })

  const begin = (storeId: number, limit: number, isSlow: boolean): Promise<number> =>
    flights.claim(storeId, async (except) => {
      const connector = await connectorOf(storeId)
      const { claimed, plans } = await db.inStore(storeId, async (ctx) => ({
        claimed: await claimContracts(ctx, { ...lease, limit, except }),
        plans: await comparisonPlans(ctx)
      }))
      const isEnding = () => flights.isEnding(storeId)
      // While a call of the store hangs, one that hangs besides keeps only its own contract.
      return portionsOf(claimed, isSlow ? 1 : TOGETHER).map((portion) => ({
        things: portion,
        work: async (): Promise<Ended> => ({
          claimed: portion,
          compared: await compareLive({ connector, isEnding, ...plans }, portion)
        })
      }))
    })

  return {
    name: 'contract_discounts',
    stage: 'others',
    releaseLeases: releaseContractDiscounts,
    needsPlatform: true,
    restsAfterRestore: true,
    due: dueContractDiscounts,
    ...nextDueBy(db, nextContractDiscount),
    async runOnce(storeId) {
      const limit = Math.min(MAX_AT_ONCE, flights.free(storeId, MAX_AT_ONCE))
      const claimed = limit > 0 ? await begin(storeId, limit, flights.load(storeId).slow > 0) : 0
      const ended = await flights.record(storeId)
      return claimed || flights.load(storeId).underWay || ended
    },
    endUnderWay: flights.endUnderWay,
    letGo: flights.letGo,
    keptLong: flights.keptLong
  }
}

async function comparisonPlans(ctx: Ctx): Promise<ComparisonPlans> {
  const allPlans = await listPlans(ctx)
  return { allPlans, plans: tierPlansOf(await findMainPlans(ctx, allPlans)) }
}

/** Of contracts that have ended here the platform is not asked. */
async function compareLive(
  deps: Parameters<typeof compareContracts>[0],
  claimed: ClaimedContract[]
): Promise<Compared[]> {
  const live = claimed.filter(({ isOver }) => !isOver)
  const compared = live.length === 0 ? [] : await compareContracts(deps, live)
  const byId = new Map(live.map(({ subscriptionId }, i) => [subscriptionId, compared[i]!]))
  return claimed.map(({ subscriptionId }) => byId.get(subscriptionId) ?? { outcome: 'ended' })
}

async function recordEnded(ctx: Ctx, ended: Ended[]): Promise<void> {
  const pairs = ended.flatMap(({ claimed, compared }) =>
    claimed.map((contract, i) => ({ contract, compared: compared[i]! }))
  )
  await endContracts(
    ctx,
    pairs.map(({ contract, compared }) => endOf(contract, compared, ctx.now))
  )
  const known = pairs.flatMap(({ contract: { subscriptionId }, compared }) =>
    'isOn' in compared ? [{ subscriptionId, isOn: compared.isOn }] : []
  )
  const changed = pairs.flatMap(({ contract, compared }) => (compared.outcome === 'changed' ? contract.contractId : []))
  // What a cycle is charged now is read from the contract.
  await enqueueContractSync(ctx, [...changed, ...(await listOtherwiseRecorded(ctx, known))])
}

function endOf(contract: ClaimedContract, compared: Compared, now: Temporal.Instant): ContractEnd {
  const { isOn, attempts, tier } = contract
  const later = now.add({ hours: COMPARED_EVERY_HOURS })
  const end: ContractEnd = {
    ...{ contract, isForgotten: false, isOn, dueAt: later, attempts: 0, error: null, problem: null, isCompared: true }
  }
  switch (compared.outcome) {
    case 'ended':
      return { ...end, isForgotten: true, isOn: false }
    case 'left':
      return { ...end, dueAt: now, attempts, isCompared: false }
    case 'refused':
      return {
        ...end,
        problem: storableError(`The platform refuses the discount: ${compared.reason}`),
        isCompared: false
      }
    case 'failed': {
      const minutes = minutesUntilRetry(attempts)
      const error = storableError(compared.reason)
      // What was not answered may have been done.
      const mayBeOn = isOn || tier !== null
      return { ...end, isOn: mayBeOn, dueAt: now.add({ minutes }), attempts: attempts + 1, error, isCompared: false }
    }
    default:
      return { ...end, isForgotten: tier === null, isOn: compared.isOn, problem: compared.problem }
  }
}
