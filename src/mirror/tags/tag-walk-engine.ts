import { type Engine, nextDueBy } from '#kit/engines'
import { type Ctx, type Database, int, row, sql } from '#kit/postgres'
import { createWalker } from '#kit/walks'
import type { Connector, PlatformResult } from '#platform'
import { isDifferent, readDifferences } from './read-differences.ts'
import { refreshCustomerTags } from './refresh-customer-tags.ts'
import { markDue } from './tag-queries.ts'
import {
  claimTagWalk,
  dueTagWalks,
  extendTagWalk,
  markTagPage,
  markTagPageFailed,
  nextTagWalkAt,
  releaseTagWalks,
  type TagPlace,
  type TagWalk
} from './tag-walks.ts'

const PAGE = 200

/**
 * Once a day every owner of tags is compared with the platform, a page at a time, since somebody may change tags by hand and messages
 * get lost. What customers are to have is derived anew before that. Nothing is written there: owners that differ become due.
 */
export function createTagWalkEngine({
  db,
  leaseOwner,
  connectorOf,
  leaseMs
}: {
  db: Database
  leaseOwner: number
  connectorOf: (storeId: number) => Promise<Connector>
  /** How long a lease lasts in real time when it is not extended; two minutes when left out. */
  leaseMs?: number
}): Engine {
  type Page = { next: TagPlace; compared: number; differed: number }
  const comparePage = async (storeId: number, { kind, afterId }: TagWalk): Promise<PlatformResult<Page>> => {
    // Customers are walked by the members, of whom some may have no tag yet.
    const last = kind === 'customer' ? await db.inStore(storeId, (ctx) => refreshPage(ctx, afterId)) : null
    const { tags } = await connectorOf(storeId)
    const page = { kind, afterId, limit: PAGE }
    const read = await readDifferences(db, storeId, page, (of, ids) => tags.findMany(of, ids, 'low'))
    if (!read.ok) return read
    const { owners, next } = read.value
    const different = owners.filter((one) => one.nextTryAt === null && isDifferent(one))
    await db.inStore(storeId, (ctx) => markDue(ctx, different))
    return { ok: true, value: { next: earlierOf(last, next), compared: owners.length, differed: different.length } }
  }

  const walkOn = createWalker({
    db,
    leaseMs,
    claim: (ctx, ms) => claimTagWalk(ctx, leaseOwner, ms),
    extend: extendTagWalk,
    read: comparePage,
    record: markTagPage,
    putOff: markTagPageFailed
  })

  return {
    name: 'tag-walk',
    stage: 'others',
    releaseLeases: releaseTagWalks,
    needsPlatform: true,
    restsAfterRestore: true,
    realTime: true,
    due: dueTagWalks,
    ...nextDueBy(db, nextTagWalkAt),
    async runOnce(storeId) {
      return (await walkOn(storeId)) ? 1 : 0
    }
  }
}

/** Derives anew what a page of members is to have; returns the last of them where there are more. */
async function refreshPage(ctx: Ctx, afterId: number): Promise<number | null> {
  const members = await ctx.tx.many(
    row({ id: int }),
    sql`
    select id from members
     where store_id = ${ctx.storeId} and id > ${afterId}
       and (status is not null
            or exists (select from loyalty_customer_tiers t where t.store_id = ${ctx.storeId} and t.member_id = members.id))
     order by id limit ${PAGE}`
  )
  await refreshCustomerTags(
    ctx,
    members.map(({ id }) => id)
  )
  return members.length === PAGE ? members.at(-1)!.id : null
}

/** Both pages begin at the same place; the walk goes on where the shorter of them ends. */
function earlierOf(lastMember: number | null, next: TagPlace): TagPlace {
  if (lastMember === null) return next
  if (next?.kind === 'customer' && next.afterId <= lastMember) return next
  return { kind: 'customer', afterId: lastMember }
}
