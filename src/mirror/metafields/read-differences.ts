import { bool, type Ctx, type Database, instant, int, nullable, oneOf, row, sql, text } from '#kit/postgres'
import { METAFIELD_OWNERS, type MetafieldsByKey, type PlatformResult, succeeded } from '#platform'
import { deriveWanted } from './derive-wanted.ts'
import { discountOwner, listDiscountOwners } from './discount-owners.ts'
import { ownerKey } from './owner-queries.ts'
import { hashOf, type OwnerOfMetafields, SHOP, type Wanted } from './wanted-metafields.ts'

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

/** One customer, or a page of all; the first page (`afterId` is null) has the shop and its discounts too. */
export type MetafieldPage = { memberId: number } | { afterId: number | null; limit: number }

/**
 * What differs on a page: how many owners were compared, and after which customer the next one begins; null at the end. `isChanging`:
 * events wait to be handled, after which what differs may be due.
 */
export type MetafieldDifferences = {
  compared: number
  differences: MetafieldFound[]
  isChanging: boolean
  next: number | null
}

/** Reads the platform; each is one use of it or a few. */
export type ReadMetafields = {
  shop(): Promise<PlatformResult<{ shopId: string; metafields: MetafieldsByKey }>>
  many(kind: 'customer' | 'discount', ids: string[]): Promise<PlatformResult<Map<string, MetafieldsByKey>>>
}

/** An owner with what the platform shows of it; null where it shows no such owner. */
type Shown = { owner: OwnerOfMetafields; platformId: string; there: MetafieldsByKey | null }
type Compared = Omit<MetafieldDifferences, 'next'>

/** Compares a customer, or a page of all, with the platform. Changes nothing. */
export async function readMetafieldDifferences(
  db: Database,
  storeId: number,
  page: MetafieldPage,
  read: ReadMetafields
): Promise<PlatformResult<MetafieldDifferences>> {
  const parts: Compared[] = []
  if ('afterId' in page && page.afterId === null) {
    for (const compare of [compareShop, compareDiscounts]) {
      const part = await compare(db, storeId, read)
      if (!part.ok) return part
      parts.push(part.value)
    }
  }
  const ids = await db.inStore(storeId, (ctx) =>
    'memberId' in page ? Promise.resolve([page.memberId]) : listOwnersAfter(ctx, page.afterId ?? 0, page.limit)
  )
  const customers = await compareCustomers(db, storeId, ids, read)
  if (!customers.ok) return customers
  parts.push(customers.value)
  return succeeded({
    compared: parts.reduce((sum, { compared }) => sum + compared, 0),
    differences: parts.flatMap(({ differences }) => differences),
    isChanging: parts.some(({ isChanging }) => isChanging),
    next: 'afterId' in page && ids.length === page.limit ? ids.at(-1)! : null
  })
}

/** A store that was never connected has no row of its shop: nothing is kept there. */
async function compareShop(db: Database, storeId: number, read: ReadMetafields) {
  const isKept = await db.inStore(storeId, async (ctx) => (await listStates(ctx, [SHOP])).size > 0)
  return compareOwners(db, storeId, isKept ? [SHOP] : [], async () => {
    const found = await read.shop()
    if (!found.ok) return found
    return succeeded([{ owner: SHOP, platformId: found.value.shopId, there: found.value.metafields }])
  })
}

async function compareDiscounts(db: Database, storeId: number, read: ReadMetafields) {
  const discounts = await db.inStore(storeId, listDiscountOwners)
  return compareOwners(db, storeId, [...discounts.keys()].map(discountOwner), () =>
    readMany(read, 'discount', discounts)
  )
}

async function compareCustomers(db: Database, storeId: number, ids: number[], read: ReadMetafields) {
  const platformIds = await db.inStore(storeId, (ctx) => listPlatformIds(ctx, ids))
  const owners = [...platformIds.keys()].map((ownerId) => ({ kind: 'customer' as const, ownerId }))
  return compareOwners(db, storeId, owners, () => readMany(read, 'customer', platformIds))
}

async function readMany(
  read: ReadMetafields,
  kind: 'customer' | 'discount',
  platformIds: Map<number, string>
): Promise<PlatformResult<Shown[]>> {
  if (platformIds.size === 0) return succeeded([])
  const found = await read.many(kind, [...platformIds.values()])
  if (!found.ok) return found
  return succeeded(
    [...platformIds].map(([ownerId, platformId]) => ({
      owner: { kind, ownerId },
      platformId,
      there: found.value.get(platformId) ?? null
    }))
  )
}

/**
 * What is wanted is derived after the platform was read: a change in between waits then, or the engine has worked on the owner meanwhile,
 * and what the platform showed may be from before that.
 */
async function compareOwners(
  db: Database,
  storeId: number,
  owners: OwnerOfMetafields[],
  ask: () => Promise<PlatformResult<Shown[]>>
): Promise<PlatformResult<Compared>> {
  if (owners.length === 0) return succeeded({ compared: 0, differences: [], isChanging: false })
  const before = await db.inStore(storeId, (ctx) => listStates(ctx, owners))
  const shown = await ask()
  if (!shown.ok) return shown
  const { wantedOf, after, isChanging, now } = await db.inStore(storeId, async (ctx) => ({
    wantedOf: await deriveWanted(ctx, owners),
    after: await listStates(ctx, owners),
    isChanging: await areFactsWaiting(ctx),
    now: ctx.now
  }))
  const compared = shown.value.filter(({ owner }) => wantedOf.has(ownerKey(owner)))
  const differences = compared.flatMap((one) => {
    const key = ownerKey(one.owner)
    const wanted = wantedOf.get(key)!
    if (wanted === null) return []
    const [was, state] = [before.get(key), after.get(key)]
    const hasMoved = was?.leaseToken !== state?.leaseToken
    return differencesOf(one, wanted, state && hasMoved ? { ...state, nextTryAt: state.nextTryAt ?? now } : state)
  })
  return succeeded({ compared: compared.length, differences, isChanging })
}

function differencesOf(
  { owner, platformId, there }: Shown,
  wanted: Wanted,
  state: OwnerState | undefined
): MetafieldFound[] {
  const found: MetafieldsByKey = there ?? new Map()
  const problem = there ? null : `The platform does not show the ${owner.kind} ${platformId}`
  const nextTryAt = state?.nextTryAt ?? null
  return [...new Set([...wanted.keys(), ...found.keys()])].flatMap((key): MetafieldFound[] => {
    const [want, present] = [wanted.get(key), found.get(key)]
    if (want && present && want.hash === hashOf(present.type, present.value)) return []
    return [
      {
        ...owner,
        platformId,
        key,
        wanted: want?.value ?? null,
        found: present?.value ?? null,
        waitsSince: nextTryAt && (state?.waitsSince ?? nextTryAt),
        nextTryAt,
        lastError: nextTryAt && (state?.lastError ?? null),
        problem: state?.problem ?? problem
      }
    ]
  })
}

const OwnerStateRow = row({
  kind: oneOf(...METAFIELD_OWNERS),
  ownerId: int,
  leaseToken: int,
  waitsSince: nullable(instant),
  nextTryAt: nullable(instant),
  lastError: nullable(text),
  problem: nullable(text)
})
type OwnerState = ReturnType<typeof OwnerStateRow>

async function listStates(ctx: Ctx, owners: OwnerOfMetafields[]): Promise<Map<string, OwnerState>> {
  const states = await ctx.tx.many(
    OwnerStateRow,
    sql`
    select m.kind, m.owner_id, m.lease_token, m.waits_since, m.due_at as next_try_at, m.last_error, m.problem
      from (select * from unnest(${owners.map(({ kind }) => kind)}::text[], ${owners.map(({ ownerId }) => ownerId)}::bigint[])
              as o(kind, id) offset 0) as o
      join metafield_owners m on m.store_id = ${ctx.storeId} and m.kind = o.kind and m.owner_id = o.id`
  )
  return new Map(states.map((one) => [ownerKey(one), one]))
}

/** Whether something has happened that may change what is wanted, and is not handled yet. */
export async function areFactsWaiting(ctx: Ctx): Promise<boolean> {
  const { isWaiting } = await ctx.tx.one(
    row({ isWaiting: bool }),
    sql`
    select exists (select from waiting_facts
                    where store_id = ${ctx.storeId} and coalesce(consumer, 'metafields') = 'metafields') as is_waiting`
  )
  return isWaiting
}

async function listOwnersAfter(ctx: Ctx, afterId: number, limit: number): Promise<number[]> {
  const rows = await ctx.tx.many(
    row({ id: int }),
    sql`
    select owner_id as id from metafield_owners
     where store_id = ${ctx.storeId} and kind = 'customer' and owner_id > ${afterId} order by owner_id limit ${limit}`
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
