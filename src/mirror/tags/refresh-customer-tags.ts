import { consumer, type StoredFact } from '#kit/outbox'
import { bool, type Ctx, int, row, sql, textList } from '#kit/postgres'
import { lockMembers } from '#members'
import { setWantedTags } from './set-wanted-tags.ts'
import { membershipTags, type PlanType } from './wanted-tags.ts'

/** The facts after which somebody may hold another membership. A renewal is none of them. */
const TAG_FACTS = [
  'member.created',
  'member.tier_changed',
  'member.updated',
  'subscription.created',
  'subscription.activated',
  'subscription.paused',
  'subscription.resumed',
  'subscription.cancelled',
  'subscription.updated'
] as const

/** Of members from before it was added there are owners after the first walk over all of them. */
export const tagConsumer = consumer('tags', TAG_FACTS, refreshTagsOfFacts, { from: 'now' })

/** It reads what is true now, so that a repeated fact changes nothing. */
async function refreshTagsOfFacts(ctx: Ctx, facts: StoredFact[]): Promise<void> {
  const subscriptionIds = facts.flatMap(({ refs }) => refs.subscriptionId ?? [])
  const named = facts.flatMap(({ refs, data }) => [...(refs.memberId ? [refs.memberId] : []), ...receiversIn(data)])
  await refreshCustomerTags(ctx, [...named, ...(await listReceivers(ctx, subscriptionIds))])
}

/** Records the tags that these customers are to have now, and returns of how many they have changed. */
export async function refreshCustomerTags(ctx: Ctx, memberIds: number[]): Promise<number> {
  const ids = [...new Set(memberIds)]
  if (ids.length === 0) return 0
  // Of two transactions that refresh one customer, the later sees what the other saw.
  await lockMembers(ctx, ids)
  const held = await listHeld(ctx, ids)
  return setWantedTags(
    ctx,
    'customer',
    'membership',
    held.map(({ memberId, activeTypes, isDeleted }) => ({
      ownerId: memberId,
      tags: membershipTags({ activeTypes: activeTypes as PlanType[], isDeleted })
    }))
  )
}

/** Who had a gift before or has it now: the one who lost it is no longer on the subscription. */
function receiversIn(data: string): number[] {
  if (!data.includes('"receiver"')) return []
  const { receiver } =
    (JSON.parse(data) as { changes?: { receiver?: { from: string | null; to: string | null } } }).changes ?? {}
  return [receiver?.from, receiver?.to].flatMap((id) => (id ? [Number(id.slice(id.indexOf('_') + 1))] : []))
}

async function listReceivers(ctx: Ctx, subscriptionIds: number[]): Promise<number[]> {
  if (subscriptionIds.length === 0) return []
  const rows = await ctx.tx.many(
    row({ receiver: int }),
    sql`
    select receiver_member_id as receiver from subscriptions
     where store_id = ${ctx.storeId} and id = any(${subscriptionIds}::bigint[]) and receiver_member_id is not null`
  )
  return rows.map(({ receiver }) => receiver)
}

/** What each of these customers holds: of a gift the receiver is the holder, and only an active subscription counts. */
function listHeld(ctx: Ctx, memberIds: number[]) {
  return ctx.tx.many(
    row({ memberId: int, isDeleted: bool, activeTypes: textList }),
    sql`
    with held as (
      select member_id as holder, plan_id from subscriptions
       where store_id = ${ctx.storeId} and member_id = any(${memberIds}::bigint[]) and receiver_member_id is null
         and status = 'active'
      union all
      select receiver_member_id, plan_id from subscriptions
       where store_id = ${ctx.storeId} and receiver_member_id = any(${memberIds}::bigint[]) and status = 'active')
    select m.id as member_id, m.platform_deleted_at is not null as is_deleted,
           coalesce(array_agg(p.type) filter (where p.type is not null), '{}') as active_types
      from members m
      left join held h on h.holder = m.id
      left join plans p on p.store_id = ${ctx.storeId} and p.id = h.plan_id
     where m.store_id = ${ctx.storeId} and m.id = any(${memberIds}::bigint[])
     group by m.id, m.platform_deleted_at`
  )
}
