import { publicId } from '#kit/ids'
import { bool, type Ctx, int, nullable, oneOf, type RowOf, row, sql, text } from '#kit/postgres'

const OrderLink = row({
  orderId: int,
  subscriptionId: int,
  attemptId: nullable(int),
  part: oneOf('trial', 'signup', 'renewal'),
  planId: nullable(int),
  /** The tier of a membership; null for everything else. */
  tierName: nullable(text),
  isElite: bool,
  orderNumber: int
})
/** The part of an order in a contract. */
export type OrderLink = RowOf<typeof OrderLink>

/** The subscriptions of links by their public ids, for messages to people. */
export const namesOf = (links: OrderLink[]): string =>
  links.map(({ subscriptionId }) => publicId('sub', subscriptionId)).join(', ')

/**
 * Finds the contracts that orders belong to, records what is new, and returns all of it: contracts that an order began, charges that it
 * was placed for, and contracts that its lines name. Plan and tier stay those that were found first. `attempted`: the orders whose attempt
 * became known.
 */
export async function linkOrders(
  ctx: Ctx,
  orderIds: number[]
): Promise<{ links: Map<number, OrderLink[]>; attempted: Set<number> }> {
  const known = keyed(await listLinks(ctx, orderIds))
  const found = await findLinks(ctx, orderIds)
  const merged = keyed([...known.values(), ...found.map((link) => mergeLink(known.get(keyOf(link)), link))])
  const changed = [...merged.values()].filter((link) => differs(known.get(keyOf(link)), link))
  if (changed.length > 0) {
    await writeLinks(ctx, changed)
    await requestLaterOrders(ctx, changed)
  }
  const links = Map.groupBy(
    [...merged.values()].toSorted((a, b) => a.subscriptionId - b.subscriptionId),
    ({ orderId }) => orderId
  )
  const isAttempted = (link: OrderLink) =>
    link.attemptId !== null && known.get(keyOf(link))?.attemptId !== link.attemptId
  return { links, attempted: new Set(changed.filter(isAttempted).map(({ orderId }) => orderId)) }
}

const keyOf = ({ orderId, subscriptionId }: OrderLink) => `${orderId} ${subscriptionId}`
const keyed = (links: OrderLink[]) => new Map(links.map((link) => [keyOf(link), link]))

function mergeLink(before: OrderLink | undefined, now: OrderLink): OrderLink {
  if (!before) return now
  const isSameKind = (before.part === 'renewal') === (now.part === 'renewal')
  return {
    ...before,
    attemptId: now.attemptId ?? before.attemptId,
    part: isSameKind ? before.part : now.part,
    orderNumber: now.orderNumber
  }
}

const differs = (before: OrderLink | undefined, now: OrderLink): boolean =>
  before?.attemptId !== now.attemptId || before.part !== now.part || before.orderNumber !== now.orderNumber

function listLinks(ctx: Ctx, orderIds: number[]): Promise<OrderLink[]> {
  return ctx.tx.many(
    OrderLink,
    sql`
    select l.order_id, l.subscription_id, l.attempt_id, l.part, l.plan_id, l.tier_name, coalesce(p.type = 'elite', false) as is_elite,
           l.order_number
      from order_links l left join plans p on p.store_id = ${ctx.storeId} and p.id = l.plan_id
     where l.store_id = ${ctx.storeId} and l.order_id = any(${orderIds}::bigint[])
     order by l.order_id, l.subscription_id`
  )
}

/**
 * The number of a renewal counts back from the cycles that were paid, which go on from those paid to others before an import; a trial is
 * an order and no paid cycle. An order of a contract that is of no charge of ours has the number of the last one before it.
 */
function findLinks(ctx: Ctx, orderIds: number[]): Promise<OrderLink[]> {
  return ctx.tx.many(
    OrderLink,
    sql`
    with placed as (
      select id, member_id, processed_at, lines from orders
       where store_id = ${ctx.storeId} and id = any(${orderIds}::bigint[])),
    held as (
      select id, plan_id, origin_order_id, created_at, cycles_paid, (trial_ends_at is not null)::int as trials
        from subscriptions
       where store_id = ${ctx.storeId} and member_id in (select member_id from placed)),
    paid as (
      select id, subscription_id, plan_id, cycle_index, status, order_id, completed_at from billing_attempts
       where store_id = ${ctx.storeId} and subscription_id in (select id from held)
         and (status = 'success' or order_id is not null)),
    begun as (
      select o.id as order_id, h.id as subscription_id, null::bigint as attempt_id,
             case when h.trials = 1 then 'trial' else 'signup' end as part, h.plan_id, 1 as order_number
        from placed o join held h on h.origin_order_id = o.id),
    charged as (
      select o.id as order_id, h.id as subscription_id, a.id as attempt_id, 'renewal' as part, a.plan_id,
             h.cycles_paid + h.trials - (select count(*) from paid l
               where l.subscription_id = a.subscription_id and l.status = 'success' and l.cycle_index > a.cycle_index)
               as order_number
        from placed o join paid a on a.order_id = o.id join held h on h.id = a.subscription_id),
    named as (
      select distinct o.id as order_id, s.id as subscription_id, null::bigint as attempt_id,
             case when o.processed_at > s.created_at then 'renewal' when s.trial_ends_at is not null then 'trial' else 'signup' end
               as part,
             s.plan_id,
             case when o.processed_at > s.created_at
                  then s.cycles_paid + (s.trial_ends_at is not null)::int - (select count(*) from billing_attempts l
                    where l.store_id = ${ctx.storeId} and l.subscription_id = s.id and l.status = 'success'
                      and l.completed_at > o.processed_at)
                  else 1 end as order_number
        from placed o
       cross join lateral jsonb_array_elements(o.lines) line
        join subscriptions s on s.store_id = ${ctx.storeId} and s.platform_contract_id = line ->> 'contractId'
       where not exists (select from begun b where b.order_id = o.id and b.subscription_id = s.id)
         and not exists (select from charged c where c.order_id = o.id and c.subscription_id = s.id)),
    found as (
      select distinct on (order_id, subscription_id) * from (
        select * from begun union all select * from charged union all select * from named) f
       order by order_id, subscription_id, (part = 'renewal'), attempt_id)
    select f.order_id, f.subscription_id, f.attempt_id, f.part, f.plan_id,
           case when p.type <> 'product' then coalesce(p.tier_name, p.name) end as tier_name,
           coalesce(p.type = 'elite', false) as is_elite, greatest(f.order_number, 1)::integer as order_number
      from found f left join plans p on p.store_id = ${ctx.storeId} and p.id = f.plan_id
     order by f.order_id, f.subscription_id`
  )
}

async function writeLinks(ctx: Ctx, links: OrderLink[]): Promise<void> {
  await ctx.tx.run(sql`
    insert into order_links (store_id, order_id, subscription_id, attempt_id, part, plan_id, tier_name, order_number, linked_at)
    select ${ctx.storeId}, l.order_id, l.subscription_id, l.attempt_id, l.part, l.plan_id, l.tier_name, l.order_number, ${ctx.now}
      from unnest(${links.map((l) => l.orderId)}::bigint[], ${links.map((l) => l.subscriptionId)}::bigint[],
                  ${links.map((l) => l.attemptId)}::bigint[], ${links.map((l) => l.part)}::text[],
                  ${links.map((l) => l.planId)}::bigint[], ${links.map((l) => l.tierName)}::text[],
                  ${links.map((l) => l.orderNumber)}::integer[])
             as l(order_id, subscription_id, attempt_id, part, plan_id, tier_name, order_number)
     order by l.order_id, l.subscription_id
    on conflict (store_id, order_id, subscription_id) do update
      set attempt_id = excluded.attempt_id, part = excluded.part, order_number = excluded.order_number`)
}

/** An order that became known late counts before later ones of its contract, whose numbers rise. */
async function requestLaterOrders(ctx: Ctx, links: OrderLink[]): Promise<void> {
  await ctx.tx.run(sql`
    update order_effects e set due_at = ${ctx.now}, version = e.version + 1
      from unnest(${links.map((l) => l.subscriptionId)}::bigint[], ${links.map((l) => l.orderNumber)}::integer[])
             as n(subscription_id, order_number)
      join order_links l on l.store_id = ${ctx.storeId} and l.subscription_id = n.subscription_id
       and l.order_number >= n.order_number and l.part = 'renewal'
     where e.store_id = ${ctx.storeId} and e.order_id = l.order_id and l.order_id <> all(${links.map((l) => l.orderId)}::bigint[])`)
}
