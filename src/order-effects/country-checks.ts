import { dueQuery } from '#kit/engines'
import { publicId } from '#kit/ids'
import { bool, type Ctx, directSql, instant, int, nullable, row, sql, text, textList } from '#kit/postgres'
import { pauseSubscription } from '#lifecycle'
import { notify } from '#stores'
import { actorOf } from '#subscriptions'

/** So long before the first renewal is looked again where no country is known until then. */
const BEFORE_RENEWAL_HOURS = 24

/** Has new contracts of plans that are not sold everywhere checked. Others are left out, and those whose renewals others began. */
export async function requestCountryChecks(ctx: Ctx, subscriptionIds: number[]): Promise<void> {
  if (subscriptionIds.length === 0) return
  await ctx.tx.run(sql`
    insert into country_checks (store_id, subscription_id, due_at)
    select ${ctx.storeId}, t.id, ${ctx.now}
      from (select s.id from subscriptions s
              join plans p on p.store_id = ${ctx.storeId} and p.id = s.plan_id and cardinality(p.allowed_countries) > 0
             where s.store_id = ${ctx.storeId} and s.id = any(${subscriptionIds}::bigint[])
               and s.anchor_cycle = 1 and s.cycle_index <= 1
             order by s.id offset 0) t
    on conflict (store_id, subscription_id) do nothing`)
}

const Check = row({
  id: int,
  isActive: bool,
  isBeforeRenewal: bool,
  planName: text,
  allowed: textList,
  country: nullable(text),
  nextBillingAt: nullable(instant)
})

/**
 * Pauses those of the due contracts whose customer lives where the plan is not sold, with an alert; who resumes one decides, and it is not
 * paused again. The country is that of the order, else of the customer; of a gift that of its receiver. Returns how many were looked at.
 */
export async function checkCountries(ctx: Ctx, most: number): Promise<number> {
  const due = await ctx.tx.many(
    row({ id: int }),
    sql`
    select subscription_id as id from country_checks
     where store_id = ${ctx.storeId} and due_at <= ${ctx.now} order by due_at, subscription_id limit ${most}
       for update skip locked`
  )
  const ids = due.map(({ id }) => id)
  const checks = await ctx.tx.many(
    Check,
    sql`
    select s.id, s.status = 'active' as is_active, s.cycle_index <= 1 as is_before_renewal, p.name as plan_name, p.allowed_countries as allowed,
           case when s.receiver_member_id is null then coalesce(o.country_code, m.country_code) else m.country_code end as country,
           s.next_billing_at
      from subscriptions s
      join plans p on p.store_id = ${ctx.storeId} and p.id = s.plan_id
      join members m on m.store_id = ${ctx.storeId} and m.id = coalesce(s.receiver_member_id, s.member_id)
      left join orders o on o.store_id = ${ctx.storeId} and o.id = s.origin_order_id
     where s.store_id = ${ctx.storeId} and s.id = any(${ids}::bigint[]) order by s.id`
  )
  const again = checks.flatMap((check) => {
    const at = check.nextBillingAt?.subtract({ hours: BEFORE_RENEWAL_HOURS })
    const isOpen = check.country === null && check.isActive && check.isBeforeRenewal
    return isOpen && at && Temporal.Instant.compare(at, ctx.now) > 0 ? [{ id: check.id, at }] : []
  })
  for (const check of checks) if (isElsewhere(check)) await pauseElsewhere(ctx, check)
  await ctx.tx.run(sql`
    delete from country_checks
     where store_id = ${ctx.storeId} and subscription_id = any(${ids}::bigint[])
       and subscription_id <> all(${again.map(({ id }) => id)}::bigint[])`)
  await ctx.tx.run(sql`
    update country_checks c set due_at = t.at
      from unnest(${again.map(({ id }) => id)}::bigint[], ${again.map(({ at }) => at)}::timestamptz[]) as t(id, at)
     where c.store_id = ${ctx.storeId} and c.subscription_id = t.id`)
  return due.length
}

type CountryCheck = ReturnType<typeof Check>

const isElsewhere = ({ isActive, isBeforeRenewal, allowed, country }: CountryCheck): boolean =>
  isActive && isBeforeRenewal && country !== null && allowed.length > 0 && !allowed.includes(country)

async function pauseElsewhere(ctx: Ctx, { id, planName, allowed, country }: CountryCheck): Promise<void> {
  await pauseSubscription(ctx, id, null, actorOf('scheduler'))
  const name = publicId('sub', id)
  await notify(ctx, {
    kind: 'contract_from_elsewhere',
    subject: 'A membership from another country was paused',
    message: `${name} is of the plan ${planName}, which is sold in ${allowed.join(', ')}, and its customer is in ${country}. It was paused before its first renewal: resume it if it is to go on, or cancel it and refund its order.`
  })
}

export const dueCountryChecks = dueQuery(
  'country_checks_due',
  `select c.store_id, min(c.due_at) as due_at
     from unnest($1::bigint[], $2::timestamptz[]) as s(store_id, until)
     join country_checks c on c.store_id = s.store_id and c.due_at <= s.until
    group by c.store_id`
)

export const nextCountryCheck = directSql<[storeId: number]>(
  'country_checks_next',
  'select min(due_at) as at from country_checks where store_id = $1'
)
