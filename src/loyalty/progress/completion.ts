import { type LoyaltyRule, ruleRequired } from '../rules/rule.ts'
import type { RuleProgress } from './progress-queries.ts'

/** `completion_progress` of a rule (spec 2, Loyalty rule): whole numbers. What is reached has 100 per cent, and nothing else has. */
export type Completion = { current: number; required: number; percentage: number }

/** The day of the shop, by which what comes once a year is judged. */
export type Today = { now: Temporal.Instant; timezone: string }

/** How far a customer is with a rule; without progress nothing was counted yet. Null: the rule is never complete. Pure. */
export function completionOf(rule: LoyaltyRule, progress: RuleProgress | null, today: Today): Completion | null {
  const required = ruleRequired(rule)
  if (required === null) return null
  const current = progress === null ? 0 : currentOf(rule, required, progress, today)
  return { current, required, percentage: Math.min(100, Math.floor((current * 100) / required)) }
}

/** Times, rewards, or whole units of money. */
function currentOf({ type, rules, money }: LoyaltyRule, required: number, progress: RuleProgress, today: Today) {
  const { counts } = type
  const { counted, rewarded } = progress
  if (counts.mode === 'each') {
    // Somebody who was merged with another may have more.
    return counts.isYearly ? Number(isOfThisYear(progress, today)) : Math.min(rewarded, required)
  }
  const isRepeated = counts.repeats(rules as never)
  // What earlier goals have used does not count for the next one.
  const amount = isRepeated ? counted - rewarded : counted
  // A goal is reached once: a change of the rule takes it from nobody.
  const isReached = amount >= counts.goal(rules as never) || (!isRepeated && rewarded > 0)
  const whole = counts.isMoney ? Math.floor(amount / money.perUnit) : amount
  return isReached ? Math.max(whole, required) : whole
}

function isOfThisYear({ lastAt }: RuleProgress, { now, timezone }: Today): boolean {
  const yearOf = (instant: Temporal.Instant) => instant.toZonedDateTimeISO(timezone).year
  return lastAt !== null && yearOf(lastAt) === yearOf(now)
}
