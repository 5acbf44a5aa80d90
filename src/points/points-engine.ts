import { dueQuery, type Engine, nextDueBy } from '#kit/engines'
import { type Ctx, type Database, directSql, int, row, sql } from '#kit/postgres'
import { openAccounts } from './open-accounts.ts'
import { writePoints } from './write-points.ts'

const BATCH = 500

/** Makes pending points earned when their time has come, and expires points past their date, on the store's clock. */
export function createPointsEngine({ db }: { db: Database }): Engine {
  return {
    name: 'points',
    stage: 'others',
    due: duePoints,
    ...nextDueBy(db, nextPoints),
    runOnce: (storeId) => db.inStore(storeId, settleDuePoints)
  }
}

/** One batch of the accounts where something is due; opening them does it. Returns how many there were. */
async function settleDuePoints(ctx: Ctx): Promise<number> {
  const due = await ctx.tx.many(
    row({ memberId: int }),
    sql`
    select distinct d.member_id
      from ((select member_id from points_pending
              where store_id = ${ctx.storeId} and ready_at <= ${ctx.now} order by ready_at limit ${BATCH})
            union all
            (select member_id from points_lots
              where store_id = ${ctx.storeId} and expires_at <= ${ctx.now} order by expires_at limit ${BATCH})
            union all
            (select member_id from points_accounts
              where store_id = ${ctx.storeId} and balance <> lotted_points limit ${BATCH})) d`
  )
  if (due.length === 0) return 0
  const { drafts, entries } = await openAccounts(
    ctx,
    due.map(({ memberId }) => ({ memberId, isOwn: true }))
  )
  await writePoints(ctx, drafts, entries)
  return due.length
}

const duePoints = dueQuery(
  'points_due',
  `select d.store_id, min(d.due_at) as due_at
     from (select p.store_id, min(p.ready_at) as due_at
             from unnest($1::bigint[], $2::timestamptz[]) as s(store_id, until)
             join points_pending p on p.store_id = s.store_id and p.ready_at <= s.until group by p.store_id
           union all
           select l.store_id, min(l.expires_at)
             from unnest($1::bigint[], $2::timestamptz[]) as s(store_id, until)
             join points_lots l on l.store_id = s.store_id and l.expires_at <= s.until group by l.store_id
           union all
           select a.store_id, min(a.updated_at)
             from unnest($1::bigint[], $2::timestamptz[]) as s(store_id, until)
             join points_accounts a on a.store_id = s.store_id and a.balance <> a.lotted_points and a.updated_at <= s.until
            group by a.store_id) d
    group by d.store_id`
)

const nextPoints = directSql<[storeId: number]>(
  'points_next',
  `select least((select min(ready_at) from points_pending where store_id = $1),
                (select min(expires_at) from points_lots where store_id = $1 and expires_at is not null),
                (select min(updated_at) from points_accounts where store_id = $1 and balance <> lotted_points)) as at`
)
