import { consumer, type StoredFact } from '#kit/outbox'
import { type Ctx, int, row, sql } from '#kit/postgres'
import { membersOfFacts } from '#members'
import { discountOwner, listDiscountOwners } from './discount-owners.ts'
import { keepsMetafields } from './metafield-store.ts'
import { markMetafieldsDue } from './owner-queries.ts'
import { type OwnerOfMetafields, SHOP } from './wanted-metafields.ts'

/** The facts after which a customer may be to have other metafields. */
const OF_CUSTOMERS = [
  'member.created',
  'member.updated',
  'member.tier_changed',
  'member.points_changed',
  'customer.changed',
  'subscription.created',
  'subscription.activated',
  'subscription.updated',
  'subscription.paused',
  'subscription.resumed',
  'subscription.cancelled',
  'subscription.cancelled_after_failure',
  'billing.success',
  'billing.failed',
  'billing.retry_scheduled',
  'store_credit.added',
  'store_credit.deducted',
  'store_credit.reservation_changed',
  'store_credit.history_changed'
] as const

/** The facts after which the shop may be to have others. */
const OF_SHOPS = [
  'storefront_setting.changed',
  'plan.changed',
  'wallet_campaign.changed',
  'loyalty_rule.changed',
  'loyalty_tier.changed',
  'loyalty_template.changed'
] as const

/** Stores of before begin with a walk over all of their members. */
export const metafieldsConsumer = consumer('metafields', [...OF_CUSTOMERS, ...OF_SHOPS], refreshMetafieldsOfFacts, {
  from: 'now'
})

/** Has the metafields of the shop and of its discounts compared. */
export async function refreshShopMetafields(ctx: Ctx): Promise<void> {
  if (await keepsMetafields(ctx)) await markMetafieldsDue(ctx, await shopAndDiscounts(ctx))
}

const shopAndDiscounts = async (ctx: Ctx): Promise<OwnerOfMetafields[]> => [
  SHOP,
  ...[...(await listDiscountOwners(ctx)).keys()].map(discountOwner)
]

/** Two customers were merged, by our numbers: what the kept one has now is read first. */
export async function transferMetafields(ctx: Ctx, fromMember: number, toMember: number): Promise<void> {
  if (!(await keepsMetafields(ctx))) return
  await refreshCustomerMetafields(ctx, [fromMember, toMember])
  await markMetafieldsDue(ctx, [{ kind: 'customer', ownerId: toMember }], { isReadFirst: true })
}

/** Has those compared whom facts are about. What they are to have is derived later from what is true then. */
async function refreshMetafieldsOfFacts(ctx: Ctx, facts: StoredFact[]): Promise<void> {
  if (!(await keepsMetafields(ctx))) return
  const ofShop = facts.some(({ name }) => OF_SHOPS.some((one) => one === name))
  if (ofShop) await markMetafieldsDue(ctx, await shopAndDiscounts(ctx))
  await refreshCustomerMetafields(ctx, membersOfFacts(facts))
}

/**
 * Has customers compared, and those with whom they share a gift, in whose metafields their names are. Customers whom no metafield
 * concerns, and who have none, are left out.
 */
export async function refreshCustomerMetafields(ctx: Ctx, memberIds: number[]): Promise<void> {
  const ids = [...new Set(memberIds)]
  if (ids.length === 0) return
  const concerned = await ctx.tx.many(
    row({ id: int }),
    sql`
    with asked as (
      select id from unnest(${ids}::bigint[]) as m(id)
      union
      select s.receiver_member_id from subscriptions s
       where s.store_id = ${ctx.storeId} and s.member_id = any(${ids}::bigint[]) and s.receiver_member_id is not null
      union
      select s.member_id from subscriptions s
       where s.store_id = ${ctx.storeId} and s.receiver_member_id = any(${ids}::bigint[]))
    select m.id from asked a join members m on m.store_id = ${ctx.storeId} and m.id = a.id
     where m.status is not null or m.birth_date is not null
        or exists (select from credit_accounts c where c.store_id = ${ctx.storeId} and c.member_id = m.id)
        or exists (select from points_accounts p where p.store_id = ${ctx.storeId} and p.member_id = m.id)
        or exists (select from metafield_owners o
                    where o.store_id = ${ctx.storeId} and o.kind = 'customer' and o.owner_id = m.id)
        or exists (select from subscriptions s
                    where s.store_id = ${ctx.storeId} and s.member_id = m.id and s.receiver_member_id is not null)`
  )
  await markMetafieldsDue(
    ctx,
    concerned.map(({ id }) => ({ kind: 'customer', ownerId: id }))
  )
}
