import { type Ctx, type Database, instant, int, nullable, oneOf, row, sql, text } from '#kit/postgres'
import { type Connector, METAFIELD_OWNERS, type MetafieldsByKey, type PlatformResult } from '#platform'
import { metafieldsNotRead } from '../refusals.ts'
import { keysOf } from './all-metafields.ts'
import { deriveCustomerMetafields } from './derive-customers.ts'
import { deriveDiscountMetafields } from './derive-discounts.ts'
import { deriveShopMetafields } from './derive-shop.ts'
import { discountOwner, listDiscountOwners } from './discount-owners.ts'
import { hashOf, type OwnerOfMetafields, SHOP, type Wanted } from './wanted-metafields.ts'

/** So many customers are compared for one page: four calls of the platform. */
const PAGE = 188

/** A metafield that is not as it should be; null: it is not to be there, or is not there. */
export type MetafieldFound = OwnerOfMetafields & {
  platformId: string | null
  key: string
  wanted: string | null
  found: string | null
  /** Since when (store time) its owner waits to be compared or written; null where nothing is known to differ. */
  waitsSince: Temporal.Instant | null
  /** When (store time) that is tried, which may be now; null where nothing is known to differ. */
  nextTryAt: Temporal.Instant | null
  /** Why the last try came to nothing; null where nothing waits. */
  lastError: string | null
  problem: string | null
}

/** A page of what differs: how many owners were compared, and after which customer the next one begins; null at the end. */
export type MetafieldsDiff = { compared: number; differences: MetafieldFound[]; next: number | null }

type Place = { afterId: number | null }

/**
 * Compares a customer, or a page of all, with the platform; the first page has the shop too. Changes nothing. `afterId`: null for the
 * first page.
 */
export async function diffMetafields(
  { db, connectorOf }: { db: Database; connectorOf: (storeId: number) => Promise<Connector> },
  storeId: number,
  of: { memberId: number } | Place
): Promise<MetafieldsDiff> {
  const { metafields } = await connectorOf(storeId)
  const differences: MetafieldFound[] = []
  let compared = 0
  if ('afterId' in of && of.afterId === null) {
    const { shopId, metafields: found } = readOrRefused(await metafields.findOfShop(keysOf('shop')))
    const shop = await db.inStore(storeId, async (ctx) => ({
      wanted: await deriveShopMetafields(ctx),
      state: (await listStates(ctx, [SHOP]))[0]
    }))
    differences.push(...differencesOf(SHOP, shopId, shop.wanted, found, shop.state))
    const ofDiscounts = await diffDiscounts(db, storeId, metafields)
    differences.push(...ofDiscounts.differences)
    compared += 1 + ofDiscounts.compared
  }
  const ids = await db.inStore(storeId, (ctx) =>
    'memberId' in of ? Promise.resolve([of.memberId]) : listOwnersAfter(ctx, of.afterId ?? 0)
  )
  const platformIds = await db.inStore(storeId, (ctx) => listPlatformIds(ctx, ids))
  const found = readOrRefused(await metafields.findMany('customer', [...platformIds.values()], keysOf('customer')))
  // What is wanted is derived after the platform was read: a change in between waits, and says so.
  const { derived, states } = await db.inStore(storeId, async (ctx) => ({
    derived: await deriveCustomerMetafields(ctx, [...platformIds.keys()]),
    states: await listStates(
      ctx,
      [...platformIds.keys()].map((ownerId) => ({ kind: 'customer', ownerId }))
    )
  }))
  for (const [memberId, platformId] of platformIds) {
    const one = derived.get(memberId)
    if (!one || one.isGone) continue
    compared++
    // What is to be there cannot be said; doctor says why.
    if (one.problem !== null) continue
    const owner = { kind: 'customer' as const, ownerId: memberId }
    const state = states.find(({ ownerId }) => ownerId === memberId)
    const there = found.get(platformId)
    const problem = there ? null : `The platform does not show the customer ${platformId}`
    differences.push(...differencesOf(owner, platformId, one.wanted, there ?? new Map(), state, problem))
  }
  return { compared, differences, next: 'afterId' in of && ids.length === PAGE ? ids.at(-1)! : null }
}

async function diffDiscounts(db: Database, storeId: number, metafields: Connector['metafields']) {
  const discounts = await db.inStore(storeId, listDiscountOwners)
  const found = readOrRefused(await metafields.findMany('discount', [...discounts.values()], keysOf('discount')))
  const { wanted, states } = await db.inStore(storeId, async (ctx) => ({
    wanted: await deriveDiscountMetafields(ctx),
    states: await listStates(ctx, [...discounts.keys()].map(discountOwner))
  }))
  const differences = [...discounts].flatMap(([number, platformId]) => {
    const there = found.get(platformId)
    const state = states.find(({ ownerId }) => ownerId === number)
    const problem = there ? null : `The platform does not show the discount ${platformId}`
    return differencesOf(discountOwner(number), platformId, wanted, there ?? new Map(), state, problem)
  })
  return { compared: discounts.size, differences }
}

function readOrRefused<T>(result: PlatformResult<T>): T {
  if (!result.ok) throw metafieldsNotRead(result.failure.message)
  return result.value
}

function differencesOf(
  owner: OwnerOfMetafields,
  platformId: string,
  wanted: Wanted,
  found: MetafieldsByKey,
  state: OwnerState | undefined,
  problem: string | null = null
): MetafieldFound[] {
  const keys = [...new Set([...wanted.keys(), ...found.keys()])]
  return keys.flatMap((key): MetafieldFound[] => {
    const [want, there] = [wanted.get(key), found.get(key)]
    if (want && there && want.hash === hashOf(there.type, there.value)) return []
    return [
      {
        ...owner,
        platformId,
        key,
        wanted: want?.value ?? null,
        found: there?.value ?? null,
        waitsSince: state?.nextTryAt ? state.waitsSince : null,
        nextTryAt: state?.nextTryAt ?? null,
        lastError: state?.nextTryAt ? state.lastError : null,
        problem: state?.problem ?? problem
      }
    ]
  })
}

const OwnerStateRow = row({
  kind: oneOf(...METAFIELD_OWNERS),
  ownerId: int,
  waitsSince: nullable(instant),
  nextTryAt: nullable(instant),
  lastError: nullable(text),
  problem: nullable(text)
})
type OwnerState = ReturnType<typeof OwnerStateRow>

function listStates(ctx: Ctx, owners: OwnerOfMetafields[]): Promise<OwnerState[]> {
  return ctx.tx.many(
    OwnerStateRow,
    sql`
    select m.kind, m.owner_id, m.waits_since, m.due_at as next_try_at, m.last_error, m.problem
      from (select * from unnest(${owners.map(({ kind }) => kind)}::text[], ${owners.map(({ ownerId }) => ownerId)}::bigint[])
              as o(kind, id) offset 0) as o
      join metafield_owners m on m.store_id = ${ctx.storeId} and m.kind = o.kind and m.owner_id = o.id`
  )
}

async function listOwnersAfter(ctx: Ctx, afterId: number): Promise<number[]> {
  const rows = await ctx.tx.many(
    row({ id: int }),
    sql`
    select owner_id as id from metafield_owners
     where store_id = ${ctx.storeId} and kind = 'customer' and owner_id > ${afterId} order by owner_id limit ${PAGE}`
  )
  return rows.map(({ id }) => id)
}

async function listPlatformIds(ctx: Ctx, ids: number[]): Promise<Map<number, string>> {
  const rows = await ctx.tx.many(
    row({ id: int, platformId: text }),
    sql`
    select id, platform_customer_id as platform_id from members
     where store_id = ${ctx.storeId} and id = any(${ids}::bigint[]) order by id`
  )
  return new Map(rows.map(({ id, platformId }) => [id, platformId]))
}
