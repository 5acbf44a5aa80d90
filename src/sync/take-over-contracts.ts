import {
  type HeldContract,
  listHeldContracts,
  markContractsMissing,
  quarantineContracts,
  syncContracts
} from '#contracts'
import { importStakes } from '#imports'
import { runBatched } from '#kit/batcher'
import { type Database, isOutage } from '#kit/postgres'
import { type Connector, PlatformCallFailed, type PlatformContract, UNREADABLE_RESPONSE, unwrap } from '#platform'
import { mergeCustomers } from './merge-customers.ts'

type Deps = { db: Database; connectorOf: (storeId: number) => Promise<Connector> }

/**
 * What taking contracts over came to: those that led to something new, those to be looked at again, and why any of them could not
 * be taken over.
 */
export type TakenOver = { changed: string[]; unsure: string[]; failed: Map<string, string> }

/** Takes contracts over, together, and each by itself where that fails: a bad one holds up no other. */
export async function takeOverContracts(
  db: Database,
  connector: Connector,
  storeId: number,
  contracts: PlatformContract[],
  isReconciling = false
): Promise<TakenOver> {
  const outcomes = await runBatched(
    contracts,
    async (some) => {
      const { changed, unsure } = await takeOverTogether(db, connector, storeId, some, isReconciling)
      return some.map(({ id }) => ({ isChanged: changed.includes(id), isUnsure: unsure.includes(id) }))
    },
    isOfAll
  )
  const taken: TakenOver = { changed: [], unsure: [], failed: new Map() }
  for (const [i, { id }] of contracts.entries()) {
    const outcome = outcomes[i]!
    if (outcome.status === 'rejected') {
      if (isOfAll(outcome.reason)) throw outcome.reason
      taken.failed.set(id, (outcome.reason as Error).message)
      continue
    }
    if (outcome.value.isChanged) taken.changed.push(id)
    if (outcome.value.isUnsure) taken.unsure.push(id)
  }
  return taken
}

/** No contract is at fault where the database or the platform is not there. */
const isOfAll = (err: unknown) =>
  isOutage(err) || (err instanceof PlatformCallFailed && err.failure.code !== UNREADABLE_RESPONSE)

/**
 * Lets `contracts` decide in one transaction what these contracts become here. What that needs is read from the platform before:
 * the origin orders of contracts that are new here, and whether customers still exist. `isReconciling`: no message was received
 * about the contracts.
 */
async function takeOverTogether(
  db: Database,
  connector: Connector,
  storeId: number,
  contracts: PlatformContract[],
  isReconciling: boolean
): Promise<Pick<TakenOver, 'changed' | 'unsure'>> {
  if (contracts.length === 0) return { changed: [], unsure: [] }
  const held = await listHeldContracts(
    db.direct,
    storeId,
    contracts.map(({ id }) => id)
  )
  const known = new Set(held.map(({ contractId }) => contractId))
  const fresh = contracts.filter(({ id }) => !known.has(id))
  const origins = [...new Set(fresh.flatMap(({ originOrder }) => originOrder?.id ?? []))]
  const orders = origins.length > 0 ? unwrap(await connector.orders.findMany(origins)) : new Map()
  const orphaned = await contractsWithoutCustomer(db, connector, storeId, contracts, held)
  return db.inStore(storeId, async (ctx) =>
    syncContracts(ctx, contracts, [...orders.values()], {
      stakes: await importStakes(ctx, fresh),
      orphaned,
      isReconciling
    })
  )
}

/**
 * Live contracts that are not their old customer's any more. Where that one is gone and the contract is another's, the two were
 * merged, and are joined here; where it is nobody's, the customer was deleted: those are returned. That the platform names
 * another or none is not enough: it is asked for the old one.
 */
async function contractsWithoutCustomer(
  db: Database,
  connector: Connector,
  storeId: number,
  contracts: PlatformContract[],
  held: HeldContract[]
): Promise<string[]> {
  const owners = new Map(held.filter(({ isLive }) => isLive).map((h) => [h.contractId, h.customerId]))
  const uncertain = contracts.flatMap(({ id, customer }) => {
    const before = owners.get(id)
    return before === undefined || customer?.id === before ? [] : [{ id, before, now: customer?.id ?? null }]
  })
  if (uncertain.length === 0) return []
  const there = unwrap(
    await connector.customers.findMany([
      ...new Set(uncertain.flatMap(({ before, now }) => [before, ...(now ? [now] : [])]))
    ])
  )
  const gone = uncertain.filter(({ before }) => !there.has(before))
  for (const { before, now } of gone) {
    if (now) await mergeCustomers(db, storeId, { keptId: now, deletedId: before }, there.get(now) ?? null)
  }
  return gone.filter(({ now }) => now === null).map(({ id }) => id)
}

/**
 * Reads contracts from the platform and takes them over. `missing` are those that the platform does not have: it may be late
 * with one that it has just told us of. Those that failed are put off.
 */
export async function syncContractsById(
  { db, connectorOf }: Deps,
  storeId: number,
  ids: string[]
): Promise<TakenOver & { missing: string[] }> {
  const connector = await connectorOf(storeId)
  const wanted = [...new Set(ids)]
  const { contracts, unreadable } = unwrap(await connector.contracts.findReadable(wanted))
  const taken = await takeOverContracts(db, connector, storeId, [...contracts.values()])
  const failed = new Map([...unreadable, ...taken.failed])
  await quarantine(db, storeId, failed)
  return { ...taken, failed, missing: wanted.filter((id) => !contracts.has(id) && !failed.has(id)) }
}

/** Quarantines contracts that could not be read or taken over, with the reasons. */
export async function quarantine(db: Database, storeId: number, failed: ReadonlyMap<string, string>): Promise<void> {
  if (failed.size > 0) await db.inStore(storeId, (ctx) => quarantineContracts(ctx, failed))
}

/** Stops what is here of contracts that the platform was asked for and does not have. Returns how many were not missing before. */
export async function stopMissingContracts(db: Database, storeId: number, contractIds: string[]): Promise<number> {
  if (contractIds.length === 0) return 0
  return db.inStore(storeId, (ctx) => markContractsMissing(ctx, contractIds))
}
