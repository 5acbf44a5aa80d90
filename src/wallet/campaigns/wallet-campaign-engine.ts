import { activityBetween } from '#kit/clock'
import { dueQuery, type Engine, nextDueBy } from '#kit/engines'
import { record } from '#kit/outbox'
import { bool, type Ctx, type Database, directSql, instant, int, nullable, row, sql } from '#kit/postgres'
import { walletCampaignChanged } from '../events/wallet-campaign-changed.ts'

const BATCH = 100

/** Begins and ends sale campaigns by the store's clock. The metafield of the shop and the passes follow from the fact. */
export function createWalletCampaignEngine({ db }: { db: Database }): Engine {
  return {
    name: 'wallet-campaigns',
    stage: 'others',
    due: dueCampaigns,
    ...nextDueBy(db, nextCampaign),
    runOnce: (storeId) => db.inStore(storeId, beginAndEnd)
  }
}

async function beginAndEnd(ctx: Ctx): Promise<number> {
  const due = await ctx.tx.many(
    row({ id: int, isEnabled: bool, startsAt: nullable(instant), endsAt: nullable(instant) }),
    sql`
    select id, is_enabled, starts_at, ends_at from wallet_campaigns
     where store_id = ${ctx.storeId} and due_at <= ${ctx.now} order by id limit ${BATCH} for update`
  )
  if (due.length === 0) return 0
  await ctx.tx.run(sql`
    update wallet_campaigns c set due_at = n.due_at
      from unnest(${due.map(({ id }) => id)}::bigint[], ${due.map((one) => activityBetween(one, ctx.now).dueAt)}::timestamptz[]) as n(id, due_at)
     where c.store_id = ${ctx.storeId} and c.id = n.id`)
  await record(ctx, ...due.map(walletCampaignChanged))
  return due.length
}

const dueCampaigns = dueQuery(
  'wallet_campaigns_due',
  `select c.store_id, min(c.due_at) as due_at
     from unnest($1::bigint[], $2::timestamptz[]) as s(store_id, until)
     join wallet_campaigns c on c.store_id = s.store_id and c.due_at <= s.until
    group by c.store_id`
)

const nextCampaign = directSql<[storeId: number]>(
  'wallet_campaigns_next',
  'select min(due_at) as at from wallet_campaigns where store_id = $1 and due_at is not null'
)
