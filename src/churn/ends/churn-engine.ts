import { revokeGrants, setCadence, upsertFromContracts } from '#contracts'
import { dueQuery, type Engine, nextDueBy } from '#kit/engines'
import { type Ctx, type Database, directSql, int, nullable, oneOf, row, sql, text } from '#kit/postgres'
import { type Connector, unwrap } from '#platform'
import { isStillApplying } from '../activation/finish-activation.ts'
import { isRefusal } from '../activation/is-refusal.ts'
import { deleteContractOffers } from '../contract-offers/contract-offer-queries.ts'
import { lockWithCustomers } from '../lock-with-customers.ts'
import { endOffers } from './end-offers.ts'

/** For how long an offer stays after its contract has ended (spec 2, Limits). */
const GRACE_HOURS = 24
const BATCH = 100
/** How long a process that takes back has, before another one may. */
const LEASE_MS = 120_000

type Deps = { db: Database; connectorOf: (storeId: number) => Promise<Connector> }

/**
 * Revokes offers a day after their contracts have ended, by the store's clock; takes back what was begun and never finished, since its process has died or the
 * platform's answer was lost.
 */
export function createChurnEngine({ db, connectorOf }: Deps): Engine {
  return {
    name: 'churn-offers',
    stage: 'others',
    restsAfterRestore: true,
    due: dueOffers,
    ...nextDueBy(db, nextOffer),
    async runOnce(storeId) {
      const lost = await db.inStore(storeId, endLost)
      const open = await db.inStore(storeId, claimUnfinished)
      for (const one of open) await takeBackUnfinished({ db, connectorOf }, storeId, one)
      return lost + open.length
    }
  }
}

async function endLost(ctx: Ctx): Promise<number> {
  if (ctx.isRestored) return 0
  const due = await ctx.tx.many(
    row({ id: int, subscriptionId: int }),
    sql`
    select id, subscription_id from contract_offers
     where store_id = ${ctx.storeId} and status = 'active' and lost_at <= ${ctx.now.subtract({ hours: GRACE_HOURS })}
     order by lost_at, id limit ${BATCH}`
  )
  if (due.length === 0) return 0
  await lockWithCustomers(ctx, [...new Set(due.map(({ subscriptionId }) => subscriptionId))])
  await endOffers(
    ctx,
    due.map(({ id }) => ({ id, by: 'lost' })),
    'scheduler'
  )
  return due.length
}

const Unfinished = row({
  id: int,
  subscriptionId: int,
  contractId: text,
  grantId: nullable(int),
  formerInterval: nullable(oneOf('day', 'week', 'month', 'year')),
  formerIntervalCount: nullable(int)
})
type Unfinished = ReturnType<typeof Unfinished>

/** Leases acceptances whose answer nobody waits for any more. */
async function claimUnfinished(ctx: Ctx): Promise<Unfinished[]> {
  if (ctx.isRestored) return []
  const until = Temporal.Instant.fromEpochMilliseconds(Math.ceil(ctx.realNowMs + LEASE_MS))
  return ctx.tx.many(
    Unfinished,
    sql`
    with late as (
      select id from contract_offers
       where store_id = ${ctx.storeId} and status = 'applying' and answer_by < statement_timestamp()
       order by answer_by limit ${BATCH} for update skip locked)
    update contract_offers o set answer_by = ${until}
      from late, subscriptions s
     where o.store_id = ${ctx.storeId} and o.id = late.id and s.store_id = ${ctx.storeId} and s.id = o.subscription_id
    returning o.id, o.subscription_id, s.platform_contract_id as contract_id, o.grant_id, o.former_interval, o.former_interval_count`
  )
}

/** A frequency is set back on the platform first; where that is not reached, it is tried again when the lease is over. */
async function takeBackUnfinished({ db, connectorOf }: Deps, storeId: number, one: Unfinished): Promise<void> {
  const { id, subscriptionId, contractId, grantId, formerInterval: interval, formerIntervalCount } = one
  const set = async () => {
    if (interval === null) return null
    const connector = await connectorOf(storeId)
    const result = await setCadence(connector, contractId, { interval, intervalCount: formerIntervalCount! })
    // What the platform does not change any more has ended there, or is somebody else's: we follow it.
    return !result.ok && isRefusal(result.failure) ? null : unwrap(result)
  }
  const contract = await set()
  await db.inStore(storeId, async (ctx) => {
    await lockWithCustomers(ctx, [subscriptionId])
    if (!(await isStillApplying(ctx, id))) return
    if (grantId !== null) await revokeGrants(ctx, [grantId])
    if (contract) await upsertFromContracts(ctx, [contract], [])
    await deleteContractOffers(ctx, [id])
  })
}

/** What is open in real time is due as soon as nobody waits for it, by whatever clock. */
const dueOffers = dueQuery(
  'churn_offers_due',
  `select d.store_id, min(d.due_at) as due_at
     from (select o.store_id, min(o.lost_at + interval '24 hours') as due_at
             from unnest($1::bigint[], $2::timestamptz[]) as s(store_id, until)
             join contract_offers o on o.store_id = s.store_id and o.status = 'active' and o.lost_at <= s.until - interval '24 hours'
            group by o.store_id
           union all
           select o.store_id, min(o.accepted_at)
             from unnest($1::bigint[], $2::timestamptz[]) as s(store_id, until)
             join contract_offers o on o.store_id = s.store_id and o.status = 'applying' and o.answer_by < statement_timestamp()
            group by o.store_id) d
    group by d.store_id`
)

const nextOffer = directSql<[storeId: number]>(
  'churn_offers_next',
  `select least((select min(lost_at) + interval '24 hours' from contract_offers where store_id = $1 and status = 'active' and lost_at is not null),
                (select min(accepted_at) from contract_offers
                  where store_id = $1 and status = 'applying' and answer_by < statement_timestamp())) as at`
)
