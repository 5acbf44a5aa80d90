import { type Ctx, sentTogether } from '#kit/postgres'
import { storeContext } from '#stores'
import type { LoyaltyRule } from '../rules/rule.ts'
import { getRule, listRules } from '../rules/rule-queries.ts'
import { type Completion, completionOf } from './completion.ts'
import { listRuleProgress } from './progress-queries.ts'

/** A rule, and how far a customer is with it; null where there is no customer, or no end. */
export type RuleWithProgress = { rule: LoyaltyRule; completion: Completion | null }

/** Whose progress it is: `unknown` is a customer of whom the store has nothing yet, and null nobody. */
export type Viewer = number | 'unknown' | null

/** All rules that are not archived, in the order in which they were created, with the progress of a customer. */
export async function listRulesWithProgress(ctx: Ctx, viewer: Viewer): Promise<RuleWithProgress[]> {
  return withProgress(ctx, await listRules(ctx), viewer)
}

/** One of them. Refuses any other. */
export async function getRuleWithProgress(ctx: Ctx, ruleId: number, viewer: Viewer): Promise<RuleWithProgress> {
  const [found] = await withProgress(ctx, [await getRule(ctx, ruleId)], viewer)
  return found!
}

async function withProgress(ctx: Ctx, rules: LoyaltyRule[], viewer: Viewer): Promise<RuleWithProgress[]> {
  if (viewer === null) return rules.map((rule) => ({ rule, completion: null }))
  const yearly = rules.flatMap(({ id, type: { counts } }) => (counts.mode === 'each' && counts.isYearly ? id : []))
  const [progress, { timezone }] = await sentTogether(
    viewer === 'unknown' ? Promise.resolve([]) : listRuleProgress(ctx, viewer, yearly),
    storeContext(ctx)
  )
  const byRule = new Map(progress.map((one) => [one.ruleId, one]))
  const today = { now: ctx.now, timezone }
  return rules.map((rule) => ({ rule, completion: completionOf(rule, byRule.get(rule.id) ?? null, today) }))
}
