import { type Ctx, day, instant, int, nullable, type RowOf, row, sql, text } from '#kit/postgres'

const RuleProgress = row({ ruleId: int, counted: int, rewarded: int, lastAt: nullable(instant) })
/**
 * What a rule has counted of a customer, and what of it has led to rewards (`loyalty_progress`). `lastAt`: when the last of the causes was whose
 * rewards stand; only of rules that come once a year.
 */
export type RuleProgress = RowOf<typeof RuleProgress>

/** The progress of a customer with all rules of which something was counted, archived ones too. One query, however many there are. */
export function listRuleProgress(ctx: Ctx, memberId: number, yearlyRuleIds: number[]): Promise<RuleProgress[]> {
  return ctx.tx.many(
    RuleProgress,
    sql`
    select p.rule_id, p.counted, p.rewarded, y.last_at
      from loyalty_progress p
      left join (select a.rule_id, max(c.counted_at) as last_at
                   from loyalty_awards a
                   join loyalty_counts c on c.store_id = ${ctx.storeId} and c.rule_id = a.rule_id and c.member_id = a.member_id
                                        and c.cause = a.key
                  where a.store_id = ${ctx.storeId} and a.rule_id = any(${yearlyRuleIds}::bigint[]) and a.member_id = ${memberId}
                    and a.reversed_at is null
                  group by a.rule_id) y on y.rule_id = p.rule_id
     where p.store_id = ${ctx.storeId} and p.member_id = ${memberId}
     order by p.rule_id`
  )
}

/** Those of these rules of which each reward that stands was refused by the platform: the customer has nothing of them. */
export async function listRefusedRules(ctx: Ctx, memberId: number, ruleIds: number[]): Promise<Set<number>> {
  if (ruleIds.length === 0) return new Set()
  const refused = await ctx.tx.many(
    row({ ruleId: int }),
    sql`
    select a.rule_id
      from loyalty_awards a
      left join loyalty_coupons c on c.store_id = ${ctx.storeId} and c.id = a.coupon_id and c.ended_by = 'refused'
      left join contract_grants g on g.store_id = ${ctx.storeId} and g.id = a.grant_id and g.ended_by = 'refused'
     where a.store_id = ${ctx.storeId} and a.member_id = ${memberId} and a.rule_id = any(${ruleIds}::bigint[])
       and a.reversed_at is null and a.key not like 'referred:%'
     group by a.rule_id having bool_and(c.id is not null or g.id is not null)`
  )
  return new Set(refused.map(({ ruleId }) => ruleId))
}

/** What of a customer's own data the Loyalty API shows. */
export function findPerson(ctx: Ctx, memberId: number) {
  return ctx.tx.one(
    row({ email: nullable(text), birthDate: nullable(day) }),
    sql`select email, birth_date from members where store_id = ${ctx.storeId} and id = ${memberId}`
  )
}
