import { applyPlans } from '#billing/apply-plans'
import { bool, type Ctx, directSql, int, type Queries, type RowOf, row, sql, text } from '#kit/postgres'
import { shortenList } from '#kit/texts'
import { type NewAlert, notify } from '#stores'
import { activityMessages, lockSubscriptionsOfContracts, recordActivities } from '#subscriptions'
import { planContextOf, planPause } from '#subscriptions/transitions'
import { releaseQuarantinedContracts } from './quarantined-contracts.ts'

const HeldContract = row({ contractId: text, id: int, customerId: text, isLive: bool, isMissing: bool })
/** A contract that has a subscription here: its id, its customer's platform number, and whether the contract was missing there. */
export type HeldContract = RowOf<typeof HeldContract>

const heldContracts = directSql<[storeId: number, contractIds: string[]]>(
  'held_contracts',
  `select s.platform_contract_id as contract_id, s.id, m.platform_customer_id as customer_id,
          s.status in ('active', 'paused') as is_live,
          exists (select from missing_contracts x where x.store_id = $1 and x.subscription_id = s.id) as is_missing
     from subscriptions s join members m on m.store_id = $1 and m.id = s.member_id
    where s.store_id = $1 and s.platform_contract_id = any($2::text[]) order by s.id`
)

/** Those of these contracts that have subscriptions here; not locked. In a transaction, or directly. */
export function listHeldContracts(q: Queries, storeId: number, contractIds: string[]): Promise<HeldContract[]> {
  return q.many(HeldContract, heldContracts(storeId, contractIds))
}

/**
 * Contracts of live subscriptions whose number is above `after` and at most `upTo`; without an upper limit when that is null. At
 * most `limit`, in order of their numbers, which are digits: shorter ones are smaller.
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

/**
 * The platform was asked and does not have these contracts any more. Their live subscriptions are paused, since nothing can be
 * billed for them; the history says so, and one alert names those that were not missing before. A contract that turns up again is
 * followed as any other. Returns how many were not missing before.
 */
export async function markContractsMissing(ctx: Ctx, contractIds: string[]): Promise<number> {
  await releaseQuarantinedContracts(ctx, contractIds)
  const live = (await lockSubscriptionsOfContracts(ctx, contractIds)).filter(
    ({ status }) => status === 'active' || status === 'paused'
  )
  if (live.length === 0) return 0
  const marked = await ctx.tx.many(
    row({ subscriptionId: int }),
    sql`
    insert into missing_contracts (store_id, subscription_id)
    select ${ctx.storeId}, id from unnest(${live.map(({ id }) => id)}::bigint[]) as t(id)
    on conflict (store_id, subscription_id) do nothing returning subscription_id`
  )
  const contracts = new Map(live.map((s) => [s.id, s.platformContractId]))
  await recordActivities(
    ctx,
    marked.map(({ subscriptionId }) => ({
      ...activityMessages.reconciled('The platform no longer has this contract: nothing is billed for it'),
      actor: 'platform' as const,
      subscriptionId
    }))
  )
  const context = await planContextOf(ctx)
  const active = live.filter(({ status }) => status === 'active')
  await applyPlans(
    ctx,
    active.map((s) => planPause(s, null, context)),
    'platform'
  )
  if (marked.length > 0)
    await notify(ctx, missingAlert(marked.map(({ subscriptionId }) => contracts.get(subscriptionId)!)))
  return marked.length
}

const missingAlert = (contractIds: string[]): NewAlert => ({
  kind: 'contracts_missing',
  subject: `Contracts that are gone from the platform: ${contractIds.length}`,
  message:
    `The platform no longer has these contracts of live subscriptions: ${shortenList(contractIds)}. ` +
    'The subscriptions of these contracts are paused in Perennial, and nothing is billed for them. A contract that is there again is followed as before.'
})

/** The platform knows these contracts: those that were missing are missing no longer. */
export async function markContractsFound(ctx: Ctx, contractIds: string[]): Promise<void> {
  if (contractIds.length === 0) return
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
      ...activityMessages.reconciled('The platform has this contract again: it is followed as before'),
      actor: 'platform' as const,
      subscriptionId
    }))
  )
}
