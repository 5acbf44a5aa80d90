import { type Ctx, instant, int, nullable, row, sql, text } from '#kit/postgres'
import { isLoyaltyOn } from '../is-loyalty-on.ts'
import { listRules } from '../rules/rule-queries.ts'
import { termsOf } from '../rules/rule-terms.ts'
import { writeProgress } from './count-queries.ts'
import { giveRewards } from './give-rewards.ts'
import { planAwards } from './plan-awards.ts'

/**
 * Gives the rewards of goals that a customer has reached by what was counted of somebody else, after the platform merged the two: of rules that are
 * active, and while loyalty is on. They count from the last of what was counted on. The row of the customer is locked.
 */
export async function giveReachedGoals(ctx: Ctx, memberId: number): Promise<void> {
  if (!(await isLoyaltyOn(ctx))) return
  const rules = (await listRules(ctx)).filter(({ isActive, type }) => isActive && type.counts.mode === 'sum')
  const open = await listOpen(
    ctx,
    memberId,
    rules.map(({ id }) => id)
  )
  const plans = open.map(({ ruleId, counted, rewarded, ...last }) => {
    const terms = termsOf(rules.find(({ id }) => id === ruleId)!)
    return planAwards({
      terms,
      counts: [{ count: { ...last, ruleId, memberId }, terms, before: last.amount }],
      progress: { ruleId, memberId, counted, rewarded },
      ...{ standing: [], used: rewarded, mayGive: true }
    })
  })
  await giveRewards(
    ctx,
    plans.flatMap(({ gives }) => gives)
  )
  await writeProgress(
    ctx,
    plans.map(({ progress }) => progress)
  )
}

/** The rules of which something is counted that no reward has used, each with the last of it. */
function listOpen(ctx: Ctx, memberId: number, ruleIds: number[]) {
  return ctx.tx.many(
    row({
      ...{ ruleId: int, counted: int, rewarded: int },
      ...{ cause: text, version: int, amount: int, multiplierHundredths: int, orderId: nullable(int), at: instant }
    }),
    sql`
    select p.rule_id, p.counted, p.rewarded, c.cause, c.version, c.amount, c.multiplier_hundredths, c.order_id,
           c.counted_at as at
      from loyalty_progress p
     cross join lateral (
       select cause, version, amount, multiplier_hundredths, order_id, counted_at from loyalty_counts
        where store_id = ${ctx.storeId} and rule_id = p.rule_id and member_id = ${memberId}
        order by counted_at desc, cause desc limit 1) c
     where p.store_id = ${ctx.storeId} and p.member_id = ${memberId} and p.rule_id = any(${ruleIds}::bigint[]) and p.counted > p.rewarded
     order by p.rule_id`
  )
}
