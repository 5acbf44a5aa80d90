import { bool, type Ctx, directSql, int, type Queries, type RowOf, row, sql, text } from '#kit/postgres'
import { activityMessages, lockSubscriptionsOfContracts, recordActivities } from '#subscriptions'
import { applyTransitions, planContextOf, planPause } from '#subscriptions/transitions'

const HeldContract = row({ contractId: text, id: int, customerId: text, isLive: bool, isMissing: bool })
/** A contract that is a subscription here: our number, whose it is by the platform's number, and whether it was missed there. */
export type HeldContract = RowOf<typeof HeldContract>

const heldContracts = directSql<[storeId: number, contractIds: string[]]>(
  'held_contracts',
  `select s.platform_contract_id as contract_id, s.id, m.platform_customer_id as customer_id,
          s.status in ('active', 'paused') as is_live,
          exists (select from missing_contracts x where x.store_id = $1 and x.subscription_id = s.id) as is_missing
     from subscriptions s join members m on m.store_id = s.store_id and m.id = s.member_id
    where s.store_id = $1 and s.platform_contract_id = any($2::text[]) order by s.id`
)

/** Those of these contracts that are subscriptions here; not locked. By a transaction, or directly. */
export function listHeldContracts(q: Queries, storeId: number, contractIds: string[]): Promise<HeldContract[]> {
  return q.many(HeldContract, heldContracts(storeId, contractIds))
}

/**
 * Contracts of live subscriptions between two numbers, the first left out and the last one in; all after the first when
 * `upTo` is null. At most `limit`, in order of their numbers, which are digits: shorter ones are smaller.
 */
export async function listLiveContracts(
  ctx: Ctx,
  { after, upTo, limit }: { after: string; upTo: string | null; limit: number }
): Promise<string[]> {
  const rows = await ctx.tx.many(
    row({ contractId: text }),
    sql`
    select platform_contract_id as contract_id from subscriptions
     where store_id = ${ctx.storeId} and status in ('active', 'paused')
       and (length(platform_contract_id), platform_contract_id collate "C") > (length(${after}::text), ${after}::text)
       and (${upTo}::text is null or (length(platform_contract_id), platform_contract_id collate "C")
                                     <= (length(${upTo}::text), ${upTo}::text))
     order by length(platform_contract_id), platform_contract_id collate "C" limit ${limit}`
  )
  return rows.map(({ contractId }) => contractId)
}

/** `fresh`: contracts that were not missed before. `stopped`: subscriptions that are no longer active, for billing to let go of. */
export type MarkedMissing = { fresh: string[]; stopped: number[] }

/**
 * The platform does not know these contracts any more. Their live subscriptions are paused, since nothing can be billed for
 * them, and stay as they are otherwise: a contract that turns up again is followed as any other. Those that were missed
 * before change nothing.
 */
export async function markContractsMissing(ctx: Ctx, contractIds: string[]): Promise<MarkedMissing> {
  const live = (await lockSubscriptionsOfContracts(ctx, contractIds)).filter(
    ({ status }) => status === 'active' || status === 'paused'
  )
  if (live.length === 0) return { fresh: [], stopped: [] }
  const noted = await ctx.tx.many(
    row({ subscriptionId: int }),
    sql`
    insert into missing_contracts (store_id, subscription_id)
    select ${ctx.storeId}, id from unnest(${live.map(({ id }) => id)}::bigint[]) as t(id)
    on conflict (store_id, subscription_id) do nothing returning subscription_id`
  )
  const fresh = noted.map(({ subscriptionId }) => subscriptionId)
  const contracts = new Map(live.map((s) => [s.id, s.platformContractId]))
  await recordActivities(
    ctx,
    fresh.map((subscriptionId) => ({
      ...activityMessages.reconciled('The platform no longer knows this contract: nothing is billed for it'),
      actor: 'platform' as const,
      subscriptionId
    }))
  )
  const times = await planContextOf(ctx)
  const active = live.filter(({ status }) => status === 'active')
  await applyTransitions(
    ctx,
    active.map((s) => planPause(s, null, times)),
    'platform'
  )
  return { fresh: fresh.map((id) => contracts.get(id)!), stopped: active.map(({ id }) => id) }
}

/** The platform knows these contracts: those that were missed before are so no longer. */
export async function markContractsFound(ctx: Ctx, contractIds: string[]): Promise<void> {
  const found = await ctx.tx.many(
    row({ subscriptionId: int }),
    sql`
    delete from missing_contracts m using subscriptions s
     where m.store_id = ${ctx.storeId} and s.store_id = ${ctx.storeId} and s.id = m.subscription_id
       and s.platform_contract_id = any(${contractIds}::text[])
    returning m.subscription_id`
  )
  await recordActivities(
    ctx,
    found.map(({ subscriptionId }) => ({
      ...activityMessages.reconciled('The platform knows this contract again: it is followed as before'),
      actor: 'platform' as const,
      subscriptionId
    }))
  )
}
