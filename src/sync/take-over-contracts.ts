import { retryWithNewMethod, stopBilling } from '#billing'
import {
  type HeldContract,
  listHeldContracts,
  markContractsFound,
  markContractsMissing,
  quarantineContracts,
  releaseQuarantinedContracts,
  syncContracts
} from '#contracts'
import { contractsInCreation, contractsOfImports } from '#imports'
import { runBatched } from '#kit/batcher'
import { enqueue, waitingKeys } from '#kit/jobs'
import { type Ctx, type Database, isOutage } from '#kit/postgres'
import { isSoldUnder, listPlans, type Plan } from '#plans'
import { type Connector, PlatformCallFailed, type PlatformContract, UNREADABLE_RESPONSE, unwrap } from '#platform'
import { notify } from '#stores'
import { endForDeletedCustomers, recordActivities, syncContractJob } from '#subscriptions'
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
 * Brings us in line with what the platform says of contracts, whoever told us to look. The orders of checkouts are read only
 * for contracts that are new here; those that an import may just be making, or has still to take over, are left to it, and
 * looked at again. Where the customer is gone, so is who could be charged: the subscription ends. `isReconciling`: nobody told us,
 * we walk through all. Then new ones are taken over only where they were sold under a plan of ours: others may be somebody
 * else's to bill, until an import takes them over. So are, whoever told us, those that an import named and did not take over.
 */
async function takeOverTogether(
  db: Database,
  connector: Connector,
  storeId: number,
  contracts: PlatformContract[],
  isReconciling: boolean
): Promise<Pick<TakenOver, 'changed' | 'unsure'>> {
  if (contracts.length === 0) return { changed: [], unsure: [] }
  const ids = contracts.map(({ id }) => id)
  const held = await listHeldContracts(db.direct, storeId, ids)
  const known = new Set(held.map(({ contractId }) => contractId))
  const origins = contracts.flatMap(({ id, originOrder }) => (known.has(id) ? [] : (originOrder?.id ?? [])))
  const orders = origins.length > 0 ? unwrap(await connector.orders.findMany([...new Set(origins)])) : new Map()
  const orphans = await contractsWithoutCustomer(db, connector, storeId, contracts, held)
  return db.inStore(storeId, async (ctx) => {
    const imports = await contractsInCreation(ctx, contracts)
    const fresh = contracts.filter(({ id }) => !known.has(id))
    const making = fresh.filter(({ id }) => imports.has(id))
    const { awaited, left } = await contractsOfImports(ctx, fresh)
    const plans = fresh.length > 0 ? await listPlans(ctx) : []
    const isOurs = (contract: PlatformContract) =>
      (!isReconciling && !left.has(contract.id)) || plans.some((plan) => isOfPlan(contract, plan))
    const ours = contracts.filter((c) => known.has(c.id) || (!imports.has(c.id) && !awaited.has(c.id) && isOurs(c)))
    // The import reads what waits in it anew: only what we were told of meanwhile could be missed.
    const later = isReconciling ? making : fresh.filter(({ id }) => imports.has(id) || awaited.has(id))
    const { changed, unsure, stopped, newMethods, otherMethods } = await syncContracts(ctx, ours, [...orders.values()])
    const ended = await endForDeletedCustomers(ctx, orphans)
    await stopBilling(ctx, [...stopped, ...ended.map(({ id }) => id)])
    await retryWithNewMethod(ctx, newMethods, otherMethods)
    const found = held.filter(({ isMissing }) => isMissing).map(({ contractId }) => contractId)
    if (found.length > 0) await markContractsFound(ctx, found)
    const all = [...changed, ...ended.map(({ contractId }) => contractId)]
    if (isReconciling) await recordReconciled(ctx, contracts, all)
    await releaseQuarantinedContracts(ctx, ids)
    return { changed: all, unsure: [...unsure, ...later.map(({ id }) => id)] }
  })
}

const isOfPlan = ({ lines }: PlatformContract, plan: Plan) =>
  lines.some(({ sellingPlanId }) => sellingPlanId !== null && isSoldUnder(plan, sellingPlanId))

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

/** The history says which changes no message told us of. */
async function recordReconciled(ctx: Ctx, contracts: PlatformContract[], changed: string[]): Promise<void> {
  const revisions = new Map(contracts.map(({ id, revision }) => [id, revision]))
  const ours = await listHeldContracts(ctx.tx, ctx.storeId, changed)
  await recordActivities(
    ctx,
    ours.map(({ contractId, id }) => ({
      subscriptionId: id,
      kind: 'reconciled' as const,
      actor: 'platform' as const,
      text: 'The contract on the platform had changed, and no message of that had reached us: this subscription follows it',
      refs: { contract: contractId, revision: revisions.get(contractId) ?? null },
      cause: `reconciled:${contractId}:${revisions.get(contractId)}`
    }))
  )
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

/** Has contracts that failed asked for again later, and the operator told of those that did not fail before. */
export async function quarantine(db: Database, storeId: number, failed: ReadonlyMap<string, string>): Promise<void> {
  if (failed.size === 0) return
  await db.inStore(storeId, async (ctx) => {
    const fresh = await quarantineContracts(ctx, failed)
    // A job that is there already waits for its next time.
    const waiting = await waitingKeys(ctx, syncContractJob, [...failed.keys()])
    await enqueueContractSync(
      ctx,
      [...failed.keys()].filter((id) => !waiting.has(id))
    )
    if (fresh.length === 0) return
    const named = fresh.slice(0, MAX_NAMED).map((id) => `contract ${id}: ${failed.get(id)}`)
    const others = fresh.length > MAX_NAMED ? `; and ${fresh.length - MAX_NAMED} more` : ''
    await notify(ctx, {
      kind: 'contracts_quarantined',
      subject: `Contracts of the platform that could not be taken over: ${fresh.length}`,
      message:
        `What the platform says of these contracts could not be read or kept (${named.join('; ')}${others}). ` +
        'They are asked for again, at last every six hours. Until then nothing of them is followed; all others are. ' +
        '`perennial doctor` has the list.'
    })
  })
}

const MAX_NAMED = 10

/**
 * The platform was asked and does not have these contracts any more. Nothing is billed for them, the history says so, and the
 * operator hears of those that were not missed before. Returns how many those are.
 */
export async function stopMissingContracts(db: Database, storeId: number, contractIds: string[]): Promise<number> {
  if (contractIds.length === 0) return 0
  return db.inStore(storeId, async (ctx) => {
    await releaseQuarantinedContracts(ctx, contractIds)
    const { fresh, stopped } = await markContractsMissing(ctx, contractIds)
    await stopBilling(ctx, stopped)
    if (fresh.length === 0) return 0
    const named = fresh.slice(0, MAX_NAMED).join(', ')
    const others = fresh.length > MAX_NAMED ? ` and ${fresh.length - MAX_NAMED} more` : ''
    await notify(ctx, {
      kind: 'contracts_missing',
      subject: `Contracts that are gone from the platform: ${fresh.length}`,
      message:
        `The platform does not know these contracts of live subscriptions any more: ${named}${others}. ` +
        'Their subscriptions are paused here, and nothing is billed for them. One that turns up there again is followed as before.'
    })
    return fresh.length
  })
}

/** Has contracts read again, when what we are about to change on the platform ourselves is done. */
export function enqueueContractSync(ctx: Ctx, contractIds: string[]): Promise<void> {
  return enqueue(
    ctx,
    syncContractJob,
    contractIds.map((contractId) => ({ contractId }))
  )
}
