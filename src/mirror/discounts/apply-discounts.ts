import type { Database } from '#kit/postgres'
import type { Tier } from '#plans/pricing'
import {
  type Connector,
  type FoundDiscount,
  isSameDiscount,
  type PlatformFailure,
  type PlatformResult,
  type Segment,
  type ShopDiscount,
  succeeded
} from '#platform'
import { SLOTS } from '../discount-slots.ts'
import { markDiscountMetafieldsDue } from '../metafields/discount-owners.ts'
import { type DiscountNode, type Lease, writeDiscountNode, writeSegment } from './discount-queries.ts'
import type { DiscountPlan } from './plan-discounts.ts'
import { isSegmentOfOurs, segmentOf } from './wanted-discounts.ts'

type Deps = { db: Database; storeId: number; connector: Connector; comparison: Lease }

/** A call that has to be answered before anything else can be done: the comparison is put off. */
class PutOff extends Error {
  readonly failure: PlatformFailure

  constructor(failure: PlatformFailure) {
    super(failure.message)
    this.failure = failure
  }
}

/** What only this discount cannot have: the others go on. */
class Refused extends Error {}

/** The value of a result. A refusal of the platform is the discount's own, everything else puts all off. */
function take<T>(result: PlatformResult<T>): T {
  if (result.ok) return result.value
  if (result.failure.kind === 'rejected') throw new Refused(result.failure.message)
  throw new PutOff(result.failure)
}

/**
 * Brings a shop's automatic discounts to what is wanted: ends those that are not, then makes and corrects the others, one after the
 * other. What a call has made is recorded before the next one. A crash in between leaves one that is not recorded: it has its title,
 * by which it is found.
 */
export async function applyDiscounts(deps: Deps, plan: DiscountPlan): Promise<PlatformResult<null>> {
  try {
    const api = deps.connector.automaticDiscounts
    const known = new Map(plan.nodes.map((node) => [node.slot, node]))
    const ids = plan.nodes.flatMap(({ platformId }) => platformId ?? [])
    const found = ids.length === 0 ? new Map<string, FoundDiscount>() : take(await api.findMany(ids, plan.currency))
    const wanted = new Set(plan.wanted.map(({ slot }) => slot))
    for (const slot of SLOTS) {
      const node = known.get(slot)
      if (!node || wanted.has(slot)) continue
      await attempt(deps, node, () => end(deps, node, node.platformId ? found.get(node.platformId) : undefined))
    }
    const resolve = resolver(deps, plan)
    for (const one of plan.wanted) {
      const before = known.get(one.slot) ?? { slot: one.slot, platformId: null, isActive: false, problem: null }
      await attempt(deps, before, async () => {
        const discount = await resolve(one)
        const known = before.platformId ? found.get(before.platformId) : undefined
        const platformId = await keep(deps, plan, before, known, discount)
        return { slot: before.slot, platformId, isActive: true, problem: null }
      })
    }
    return succeeded(null)
  } catch (err) {
    if (err instanceof PutOff) return { ok: false, failure: err.failure }
    if (err instanceof Refused) return { ok: false, failure: { kind: 'rejected', message: err.message } }
    throw err
  }
}

/** Does something about one discount, and records why it cannot be where the platform refuses it. */
async function attempt(deps: Deps, before: DiscountNode, work: () => Promise<DiscountNode>): Promise<void> {
  try {
    await record(deps, before, await work())
  } catch (err) {
    if (!(err instanceof Refused)) throw err
    await record(deps, before, { ...before, problem: err.message })
  }
}

/** Ends a discount that is not wanted. One that the platform does not end stays known as active, so that it is tried again. */
async function end({ connector }: Deps, node: DiscountNode, found: FoundDiscount | undefined): Promise<DiscountNode> {
  if (found?.isActive) {
    const ended = await connector.automaticDiscounts.deactivate(found.id)
    if (!ended.ok && ended.failure.kind === 'rejected') {
      throw new Refused(`It is not wanted any more, and cannot be ended: ${ended.failure.message}`)
    }
    take(ended)
  }
  return { ...node, platformId: found ? node.platformId : null, isActive: false, problem: null }
}

/** Records a discount that is not as it was known to be, and has its metafields, and those that speak of it, compared. */
async function record({ db, storeId, comparison }: Deps, before: DiscountNode, after: DiscountNode): Promise<void> {
  const isOther = before.platformId !== after.platformId
  if (!isOther && before.isActive === after.isActive && before.problem === after.problem) return
  await db.inStore(storeId, async (ctx) => {
    if (!(await writeDiscountNode(ctx, comparison, after))) throw new PutOff(LEASE_LOST)
    await markDiscountMetafieldsDue(ctx, after.slot, { isOther })
  })
  // The same row may be recorded again, by what follows.
  Object.assign(before, after)
}

const LEASE_LOST: PlatformFailure = {
  kind: 'unavailable',
  message: 'Another process compares the discounts of the store'
}

/** Makes or corrects a discount. Returns its number. */
async function keep(
  deps: Deps,
  { currency, now }: DiscountPlan,
  node: DiscountNode,
  known: FoundDiscount | undefined,
  discount: ShopDiscount
): Promise<string> {
  const api = deps.connector.automaticDiscounts
  const found = known ?? (await findLost(api, discount, currency))
  const create = async () => {
    const id = take(await api.create(discount, { startsAt: now, currency }))
    await record(deps, node, { slot: node.slot, platformId: id, isActive: true, problem: null })
    return id
  }
  if (!found) return create()
  if (!found.isActive) take(await api.activate(found.id))
  else if (isSameDiscount(discount, found.discount)) return found.id
  // One that was ended has an end, which beginning it again takes away.
  const isSame = found.isActive ? false : await isNow(api, found.id, discount, currency)
  if (!isSame) {
    take(await api.update(found, discount, currency))
    // What somebody has added by hand may be beyond what an update can take away.
    if (!(await isNow(api, found.id, discount, currency))) {
      take(await api.delete(found.id))
      return create()
    }
  }
  return found.id
}

async function isNow(
  api: Connector['automaticDiscounts'],
  id: string,
  discount: ShopDiscount,
  currency: string
): Promise<boolean> {
  const now = take(await api.findMany([id], currency)).get(id)
  return now?.isActive === true && isSameDiscount(discount, now.discount)
}

/** One that was made by a call whose answer was lost: it has our title, and runs our function or is for our segment. */
async function findLost(
  api: Connector['automaticDiscounts'],
  discount: ShopDiscount,
  currency: string
): Promise<FoundDiscount | undefined> {
  const all = take(await api.findByTitle(discount.title, currency))
  return all.find(({ kind, discount: other, has }) => {
    if (kind !== discount.kind) return false
    if (discount.kind === 'app') return other?.kind === 'app' && other.functionId === discount.functionId
    return has.segmentIds.length === 1 && has.segmentIds[0] === discount.segmentIds[0]
  })
}

/** Fills in what the platform alone can say, asking for each only once. */
function resolver(deps: Deps, plan: DiscountPlan) {
  const { automaticDiscounts, segments } = deps.connector
  let functionId: string | undefined
  const segmentIds = new Map<Tier, string>()

  const findFunction = async (): Promise<string> => {
    const handle = plan.functionHandle
    const found = take(await automaticDiscounts.listFunctions()).find((one) => one.handle === handle)
    if (!found) throw new Refused(`The app has brought no function with the handle ${handle} to the shop`)
    return found.id
  }
  /** One that was made by a call whose answer was lost has a name and a query of ours. Others of these names are the shop's own. */
  const findOrMakeSegment = async (tier: Tier): Promise<Segment> => {
    const { names, query } = segmentOf(tier, plan.plans)
    const free: string[] = []
    for (const name of names) {
      const named = take(await segments.findByName(name))
      const ours = named.find((one) => one.name === name && isSegmentOfOurs(tier, one.query))
      if (ours) return ours
      if (named.length === 0) free.push(name)
    }
    const name = free[0]
    if (name === undefined) {
      throw new Refused(`The shop has segments of its own named ${names.join(' and ')}: rename one of them`)
    }
    return { id: take(await segments.create({ name, query })), name, query }
  }
  const findSegment = async (tier: Tier): Promise<string> => {
    const { query } = segmentOf(tier, plan.plans)
    const knownId = plan.segments.get(tier)
    const found =
      (knownId ? take(await segments.findMany([knownId])).get(knownId) : undefined) ?? (await findOrMakeSegment(tier))
    if (found.query !== query) take(await segments.update({ ...found, query }))
    if (found.id !== knownId) {
      const isOurs = await deps.db.inStore(deps.storeId, (ctx) => writeSegment(ctx, deps.comparison, tier, found.id))
      if (!isOurs) throw new PutOff(LEASE_LOST)
    }
    return found.id
  }
  return async ({ tier, discount }: DiscountPlan['wanted'][number]): Promise<ShopDiscount> => {
    if (discount.kind === 'app') {
      functionId ??= await findFunction()
      return { ...discount, segmentIds: [], functionId }
    }
    if (!segmentIds.has(tier!)) segmentIds.set(tier!, await findSegment(tier!))
    return { ...discount, segmentIds: [segmentIds.get(tier!)!] }
  }
}
