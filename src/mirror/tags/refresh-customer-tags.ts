import { listOfferHolders } from '#churn'
import { bool, type Ctx, int, row, sql, textList } from '#kit/postgres'
import { listTierTags } from '#loyalty'
import { lockMembers } from '#members'
import { setWantedTags } from './set-wanted-tags.ts'
import { membershipTags, OFFER_TAGS, type PlanType } from './wanted-tags.ts'

/** Records the tags that these customers are to have now, of memberships, tiers of loyalty and offers of churn. Returns how often one of these is another. */
export async function refreshCustomerTags(ctx: Ctx, memberIds: number[]): Promise<number> {
  const ids = [...new Set(memberIds)]
  if (ids.length === 0) return 0
  // Of two transactions that refresh one customer, the later sees what the other saw.
  await lockMembers(ctx, ids)
  const held = await listHeld(ctx, ids)
  const tierTags = await listTierTags(ctx, ids)
  const ofMemberships = await setWantedTags(
    ctx,
    'customer',
    'membership',
    held.map(({ memberId, activeTypes, isDeleted }) => ({
      ownerId: memberId,
      tags: membershipTags({ activeTypes: activeTypes as PlanType[], isDeleted })
    }))
  )
  const ofTiers = await setWantedTags(
    ctx,
    'customer',
    'loyalty',
    held.map(({ memberId, isDeleted }) => {
      const tag = tierTags.get(memberId)
      return { ownerId: memberId, tags: tag === undefined || isDeleted ? [] : [tag] }
    })
  )
  const holders = await listOfferHolders(ctx, ids)
  const ofOffers = await setWantedTags(
    ctx,
    'customer',
    'churn',
    held.map(({ memberId, isDeleted }) => {
      const holder = isDeleted ? undefined : holders.get(memberId)
      return {
        ownerId: memberId,
        tags: holder ? [OFFER_TAGS.ever, ...(holder.isActive ? [OFFER_TAGS.active] : [])] : []
      }
    })
  )
  return ofMemberships + ofTiers + ofOffers
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
