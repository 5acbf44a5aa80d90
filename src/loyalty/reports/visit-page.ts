import type { Ctx } from '#kit/postgres'
import { lockKeptCustomer } from '#members'
import { countDeeds } from '../earning/count-deeds.ts'
import { isLoyaltyOn } from '../is-loyalty-on.ts'
import { getRuleWithProgress, type RuleWithProgress } from '../progress/rules-with-progress.ts'
import { countsNothingNow, noSocialRule } from '../refusals.ts'
import { getRule } from '../rules/rule-queries.ts'

/**
 * Counts that a customer has visited the page that a rule names: once, however often it is reported. Returns the rule with their
 * progress. Refuses a rule that names no page, and a first visit that it does not count.
 */
export async function visitPage(ctx: Ctx, customerId: number, ruleId: number): Promise<RuleWithProgress> {
  const rule = await getRule(ctx, ruleId)
  if (!rule.type.counts.amounts.visit) throw noSocialRule(ruleId)
  const memberId = await lockKeptCustomer(ctx, customerId)
  const visit = { memberId, cause: { kind: 'visit' as const }, key: `visit:${ruleId}` }
  await countDeeds(ctx, [{ ...visit, at: ctx.now, orderId: null, ruleId }])
  const visited = await getRuleWithProgress(ctx, ruleId, memberId)
  if (visited.completion?.current) return visited
  if (!rule.isActive) throw countsNothingNow(ruleId, 'is not active')
  throw countsNothingNow(
    ruleId,
    (await isLoyaltyOn(ctx)) ? 'is not for this customer' : 'waits: loyalty is switched off'
  )
}
