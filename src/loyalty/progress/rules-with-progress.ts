import { type Ctx, sentTogether } from '#kit/postgres'
import { storeContext } from '#stores'
import { type LoyaltyRule, rewardJson, rulesJson } from '../rules/rule.ts'
import { getRule } from '../rules/rule-queries.ts'
import { type Completion, completionOf } from './completion.ts'
import { listRuleProgress } from './progress-queries.ts'
import type { ListedRule, RuleCache } from './rule-cache.ts'

/** A rule, and how far a customer is with it; null where there is no customer, or no end. */
export type RuleWithProgress = ListedRule & { completion: Completion | null }

/** Whose progress it is: `unknown` is a customer of whom the store has nothing yet, and null nobody. */
export type Viewer = number | 'unknown' | null

/** All rules that are not archived, in the order in which they were created, with the progress of a customer. */
export async function listRulesWithProgress(ctx: Ctx, cache: RuleCache, viewer: Viewer): Promise<RuleWithProgress[]> {
  return withProgress(ctx, await cache.list(ctx), viewer)
}

/** One of them. Refuses any other. */
export async function getRuleWithProgress(ctx: Ctx, ruleId: number, viewer: Viewer): Promise<RuleWithProgress> {
  const rule = await getRule(ctx, ruleId)
  const [found] = await withProgress(ctx, [{ rule, rulesJson: rulesJson(rule), rewardJson: rewardJson(rule) }], viewer)
  return found!
}

async function withProgress(ctx: Ctx, listed: readonly ListedRule[], viewer: Viewer): Promise<RuleWithProgress[]> {
  if (viewer === null) return listed.map((one) => ({ ...one, completion: null }))
  const yearly = listed.flatMap(({ rule }) => (isYearly(rule) ? rule.id : []))
  const [progress, { timezone }] = await sentTogether(
    viewer === 'unknown' ? Promise.resolve([]) : listRuleProgress(ctx, viewer, yearly),
    storeContext(ctx)
  )
  const byRule = new Map(progress.map((one) => [one.ruleId, one]))
  const today = { now: ctx.now, timezone }
  return listed.map((one) => ({ ...one, completion: completionOf(one.rule, byRule.get(one.rule.id) ?? null, today) }))
}

const isYearly = ({ type: { counts } }: LoyaltyRule) => counts.mode === 'each' && counts.isYearly === true
