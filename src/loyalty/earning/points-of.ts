import type { RuleTerms } from '../rules/rule-terms.ts'

/** `points_per_dollar` has at most four decimals. */
const RATE_PARTS = 10_000
const HUNDREDTHS = 100

/**
 * The points of a reward, rounded down; null where it is something else. Points for each unit of money are multiplied by that of the
 * customer's tier, and a receipt gives at most `max_points`; a fixed number is not multiplied.
 */
export function pointsOf(
  { rules, reward, money }: RuleTerms,
  amount: number,
  multiplierHundredths: number
): number | null {
  if (reward.type !== 'points') return null
  if ('amount' in reward) return reward.amount
  const { points_per_dollar: rate, max_points: most = null } = rules as {
    points_per_dollar: number
    max_points?: number | null
  }
  const parts = BigInt(Math.round(rate * RATE_PARTS)) * BigInt(amount) * BigInt(multiplierHundredths)
  const points = Number(parts / BigInt(RATE_PARTS * HUNDREDTHS * money.perUnit))
  return most === null ? points : Math.min(points, most)
}
