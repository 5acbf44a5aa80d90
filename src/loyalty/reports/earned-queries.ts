import { type Ctx, int, nullable, row, sql, text } from '#kit/postgres'

/** The rewards that stand for one cause of a customer, in the order in which they were given. */
export function listEarned(ctx: Ctx, memberId: number, cause: string) {
  return ctx.tx.many(
    row({ id: int, name: text, rewardType: text, points: nullable(int) }),
    sql`
    select a.rule_id as id, r.name, v.reward_rules ->> 'reward_type' as reward_type, a.points
      from loyalty_awards a
      join loyalty_rules r on r.store_id = ${ctx.storeId} and r.id = a.rule_id
      join loyalty_rule_versions v on v.store_id = ${ctx.storeId} and v.rule_id = a.rule_id and v.version = a.version
     where a.store_id = ${ctx.storeId} and a.member_id = ${memberId} and a.key = ${cause} and a.reversed_at is null
     order by a.id`
  )
}
