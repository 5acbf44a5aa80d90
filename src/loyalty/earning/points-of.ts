import { exactPointsOf } from '#points'
import type { RuleTerms } from '../rules/rule-terms.ts'

/** `points_per_dollar` has at most four decimals. */
const RATE_PARTS = 10_000
const HUNDREDTHS = 100

/**
 * The points of a reward, rounded down; null where it is something else. Points for each unit of money are multiplied by that of the
 * customer's tier, and a receipt gives at most `max_points`; a fixed number is not multiplied.
 */
export function pointsOf(terms: RuleTerms, amount: number, multiplierHundredths: number): number | null {
  const { rules, reward } = terms
  if (reward.type !== 'points') return null
  if ('amount' in reward) return reward.amount
  const { max_points: most = null } = rules as { max_points?: number | null }
  const { parts, whole } = partsOf(terms, amount, multiplierHundredths)
  const points = Number(parts / whole)
  return most === null ? points : Math.min(points, most)
}

/** What was rounded down to the points of an amount of money; null where they were not, or are limited to fewer. */
export function unroundedPoints(terms: RuleTerms, amount: number, multiplierHundredths: number): string | null {
  if (terms.reward.type !== 'points' || 'amount' in terms.reward) return null
  const { parts, whole } = partsOf(terms, amount, multiplierHundredths)
  return exactPointsOf(parts, whole)
}

function partsOf({ rules, money }: RuleTerms, amount: number, multiplierHundredths: number) {
  const { points_per_dollar: rate } = rules as { points_per_dollar: number }
  const parts = BigInt(Math.round(rate * RATE_PARTS)) * BigInt(amount) * BigInt(multiplierHundredths)
  return { parts, whole: BigInt(RATE_PARTS * HUNDREDTHS * money.perUnit) }
}
