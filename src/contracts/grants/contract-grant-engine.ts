import { createLeasedFlights, type Engine, nextDueBy, type Patience } from '#kit/engines'
import type { Ctx, Database } from '#kit/postgres'
import { lockMembers } from '#members'
import type { Connector } from '#platform'
import { storeContext } from '#stores'
import { listGrantsOf } from './grant-queries.ts'
import {
  type ClaimedContract,
  claimContracts,
  dueGrantedContracts,
  extendContractLeases,
  lockClaimedContracts,
  nextGrantedContract,
  releaseGrantedContracts
} from './granted-contracts.ts'
import { type Ended, recordContractWork } from './record-contract-work.ts'
import { workOnContract } from './work-on-contract.ts'

const LEASE_MS = 120_000
/** Contracts of a store that are worked on at once. */
const MAX_AT_ONCE = 10

type Deps = {
  db: Database
  leaseOwner: number
  connectorOf: (storeId: number) => Promise<Connector>
  /** No call of the platform takes longer. */
  maxCallMs: number
  patience?: Patience
}

/**
 * Gives contracts their grants on the platform, counts the renewals that had them, and takes them off when they have ended. What is on a contract is
 * read before anything is written, and of the draft itself, so that no grant is given twice.
 */
export function createContractGrantEngine({ db, leaseOwner, connectorOf, maxCallMs, patience }: Deps): Engine {
  const lease = { leaseOwner, leaseMs: LEASE_MS }
  const flights = createLeasedFlights<ClaimedContract, Ended>({
    leaseMs: LEASE_MS,
    patience,
    extend: (storeId, contracts) => db.inStore(storeId, (ctx) => extendContractLeases(ctx, contracts, lease)),
    record: async (storeId, pieces) => {
      const ended = pieces.flatMap(({ end }) => (end.status === 'fulfilled' ? [end.value] : []))
      await db.inStore(storeId, (ctx) => recordEnded(ctx, ended))
      // A piece that threw has nothing to record: its contract is claimed again when its lease is over.
      return pieces.map(() => ({ status: 'fulfilled' as const, value: null }))
    }
  })

  const begin = (storeId: number, limit: number): Promise<number> =>
    flights.claim(storeId, async (except) => {
      const connector = await connectorOf(storeId)
      const { claimed, grants, currency } = await db.inStore(storeId, async (ctx) => {
        // A call that begins now ends within a quarter more; what the platform still does with it, somewhat later.
        const claimed = await claimContracts(ctx, { ...lease, limit, except, settleMs: maxCallMs * 1.5 })
        const grants = await listGrantsOf(
          ctx,
          claimed.map(({ subscriptionId }) => subscriptionId)
        )
        return { claimed, grants, currency: (await storeContext(ctx)).currency }
      })
      const ofContract = Map.groupBy(grants, ({ subscriptionId }) => subscriptionId)
      const calls = { connector, currency, isEnding: () => flights.isEnding(storeId) }
      return claimed.map((contract) => ({
        things: [contract],
        work: async () => ({
          contract,
          outcome: await workOnContract(calls, contract, ofContract.get(contract.subscriptionId) ?? [])
        })
      }))
    })

  return {
    name: 'contract-grants',
    stage: 'others',
    releaseLeases: releaseGrantedContracts,
    needsPlatform: true,
    restsAfterRestore: true,
    due: dueGrantedContracts,
    ...nextDueBy(db, nextGrantedContract),
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

/** Customers come before their contracts in the order of locks. */
async function recordEnded(ctx: Ctx, ended: Ended[]): Promise<void> {
  const contracts = ended.map(({ contract }) => contract)
  const memberIds = [...new Set(contracts.map(({ memberId }) => memberId))].sort((a, b) => a - b)
  await lockMembers(ctx, memberIds)
  const locked = await lockClaimedContracts(ctx, contracts)
  await recordContractWork(
    ctx,
    ended.filter(({ contract }) => locked.has(contract.subscriptionId))
  )
}
