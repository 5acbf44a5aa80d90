import type { Ctx } from '#kit/postgres'
import { endForDeletedCustomers } from '#lifecycle'
import { upsertCustomers } from '#members'
import { recordOrders } from '#orders'
import { isSoldUnder, listPlans, type Plan } from '#plans'
import type { PlatformContract, PlatformOrder } from '#platform'
import { notify, storeContext } from '#stores'
import { lockSubscriptionsOfContracts, recordActivities } from '#subscriptions'
import { createFromContracts } from './create-from-contracts.ts'
import type { ImportTerms } from './imported-subscription.ts'
import { type HeldContract, listHeldContracts, markContractsFound } from './missing-contracts.ts'
import { releaseQuarantinedContracts } from './quarantined-contracts.ts'
import { updateFromContracts } from './update-from-contracts.ts'
import { withoutErased } from './without-erased.ts'

/**
 * What an import has to do with a contract that is new here: it is `creating` it or has `awaited` it, and will take it over; or it
 * has `left` it out, so that others bill it.
 */
export type ImportStake = 'creating' | 'awaited' | 'left'

export type UpsertOptions = {
  /** By contract: how a contract begins here that others have billed until now. */
  imported?: ReadonlyMap<string, ImportTerms>
  /** By contract: what an import has to do with it. */
  stakes?: ReadonlyMap<string, ImportStake>
  /** Contracts (platform numbers) whose customer the platform has deleted. */
  orphaned?: string[]
  /**
   * No message was received about the contracts: the reconciler reads all of them. New ones are taken over only where they were
   * sold under a plan of ours, since others may be somebody else's to bill until an import takes them over.
   */
  isReconciling?: boolean
}

export type Upserted = {
  /** Contracts that changed something here. */
  changed: string[]
  /** Contracts to be read again later: an import decides first, or a change of ours is under way there. */
  unsure: string[]
  /** The subscription of each contract that has one here. */
  subscriptions: ReadonlyMap<string, { id: number; isNew: boolean }>
}

/**
 * Decides in the caller's transaction what the platform's contracts become here. New ones become subscriptions. Known ones
 * follow the platform in status, plan, price, interval and, where somebody has moved it there, the next date; the schedule stays
 * ours. What is no longer active is not charged, a new payment method is tried at once, and a subscription without a customer
 * ends. An older revision than the one known changes nothing. `orders`: the origin orders of new contracts.
 */
export async function upsertFromContracts(
  ctx: Ctx,
  contracts: PlatformContract[],
  orders: PlatformOrder[],
  options: UpsertOptions = {}
): Promise<Upserted> {
  const held = await listHeldContracts(ctx.tx, ctx.storeId, idsOf(contracts))
  const plans = await listPlans(ctx)
  const { ours, later } = divide(contracts, held, plans, options)
  const { changed, unsure, subscriptions } = await takeOver(ctx, ours, orders, plans, options)
  const ended = await endForDeletedCustomers(ctx, options.orphaned ?? [])
  await markContractsFound(
    ctx,
    held.filter(({ isMissing }) => isMissing).map(({ contractId }) => contractId)
  )
  const all = [...changed, ...ended]
  if (options.isReconciling) await recordReconciled(ctx, contracts, all)
  await releaseQuarantinedContracts(ctx, idsOf(contracts))
  return { changed: all, unsure: [...unsure, ...later], subscriptions }
}

/** Contracts that are to be taken over or followed, and those (by number) that an import decides on first. */
function divide(
  contracts: PlatformContract[],
  held: HeldContract[],
  plans: Plan[],
  { stakes = new Map(), isReconciling = false }: UpsertOptions
): { ours: PlatformContract[]; later: string[] } {
  const known = new Set(held.map(({ contractId }) => contractId))
  const isSoldByUs = ({ lines }: PlatformContract) =>
    plans.some((plan) => lines.some(({ sellingPlanId }) => sellingPlanId !== null && isSoldUnder(plan, sellingPlanId)))
  const ours: PlatformContract[] = []
  const later: string[] = []
  for (const contract of contracts) {
    const stake = known.has(contract.id) ? undefined : stakes.get(contract.id)
    if (stake === 'creating' || stake === 'awaited') {
      // An import reads what it awaits anew, so only a contract that a message named meanwhile could be missed.
      if (stake === 'creating' || !isReconciling) later.push(contract.id)
    } else if (known.has(contract.id) || (stake !== 'left' && !isReconciling) || isSoldByUs(contract)) {
      ours.push(contract)
    }
  }
  return { ours, later }
}

async function takeOver(
  ctx: Ctx,
  contracts: PlatformContract[],
  orders: PlatformOrder[],
  plans: Plan[],
  { imported = new Map() }: UpsertOptions
): Promise<Upserted> {
  const { contracts: owned, ofErased } = await withoutErased(
    ctx,
    contracts.filter(({ customer }) => customer)
  )
  if (owned.length === 0) return { changed: [], unsure: [], subscriptions: new Map() }
  const store = await storeContext(ctx)
  const members = await upsertCustomers(
    ctx,
    owned.map(({ customer }) => customer!)
  )
  const recorded = await recordOrders(ctx, orders)
  const known = new Map((await lockSubscriptionsOfContracts(ctx, idsOf(owned))).map((s) => [s.platformContractId, s]))
  const fresh = owned.filter(({ id }) => !known.has(id))
  const created = await createFromContracts(ctx, fresh, { members, orders: recorded, plans, imported, store })
  const { changed, unsure } = await updateFromContracts(
    ctx,
    owned.flatMap((contract) => {
      const subscription = known.get(contract.id)
      return subscription ? [{ subscription, contract }] : []
    }),
    plans,
    store
  )
  // One that was made while its customer was erased.
  await reportErased(ctx, await endForDeletedCustomers(ctx, ofErased), known)
  return {
    changed: [...idsOf(fresh), ...changed],
    unsure,
    subscriptions: new Map(
      [...known.values(), ...created].map((s) => [
        s.platformContractId,
        { id: s.id, isNew: !known.has(s.platformContractId) }
      ])
    )
  }
}

/** Notifies the store's people of contracts that are new here and ended at once: nobody else sees that one was paid and is not kept. */
async function reportErased(ctx: Ctx, ended: string[], known: ReadonlyMap<string, unknown>): Promise<void> {
  for (const id of ended.filter((one) => !known.has(one))) {
    await notify(ctx, {
      kind: 'erased_customer_subscribed',
      subject: 'A customer whose data was erased has subscribed',
      message: `Contract ${id} belongs to a customer whose data was erased. Its subscription was cancelled at once, and the service cancels the contract on the platform too: there is nothing more to be charged. What the checkout has charged is not paid back by that. Please refund its order on the platform if it was paid.`
    })
  }
}

const idsOf = (contracts: PlatformContract[]) => contracts.map(({ id }) => id)

/** The history says which changes no message was received of. */
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
