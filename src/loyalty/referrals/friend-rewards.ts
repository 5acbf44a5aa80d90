import type { Ctx } from '#kit/postgres'
import { listStanding } from '../earning/award-queries.ts'
import { giveRewards, takeBackRewards } from '../earning/give-rewards.ts'
import { isLoyaltyOn } from '../is-loyalty-on.ts'
import { rewardOfFriend } from '../referral-codes/program.ts'
import { listTerms, termsKey } from '../rules/rule-terms.ts'
import { type DecidedReferral, friendKey, listReferralCounts } from './referral-queries.ts'

/**
 * Gives the friends of these referrals what the code did not give them, while a rule counts the referral, and takes it back when it does no
 * more. The limit of a rule is about who sends friends: each friend has what was promised.
 */
export async function rewardFriends(ctx: Ctx, referrals: DecidedReferral[]): Promise<void> {
  if (referrals.length === 0) return
  const counts = await listReferralCounts(ctx, referrals)
  if (counts.length === 0) return
  const friendOf = new Map(referrals.map(({ orderId, friendId }) => [orderId, friendId]))
  const { last, versions } = await listTerms(ctx, [...new Set(counts.map(({ ruleId }) => ruleId))])
  const pairs = counts.map((count) => ({
    ...count,
    memberId: friendOf.get(count.orderId)!,
    cause: friendKey(count.orderId)
  }))
  const standing = await listStanding(ctx, pairs, [])
  const isStanding = ({ ruleId, memberId, cause }: (typeof pairs)[number]) =>
    standing.find((award) => award.ruleId === ruleId && award.memberId === memberId && award.key === cause)
  await takeBackRewards(
    ctx,
    pairs.flatMap((pair) => (pair.amount === 0 ? (isStanding(pair) ?? []) : [])),
    last
  )
  if (!(await isLoyaltyOn(ctx))) return
  await giveRewards(
    ctx,
    pairs.flatMap((pair) => {
      const terms = versions.get(termsKey(pair))!
      const reward = rewardOfFriend(terms.rules)
      if (pair.amount === 0 || reward === null || isStanding(pair)) return []
      const { memberId, cause: key, at } = pair
      const points = reward.type === 'points' && 'amount' in reward ? reward.amount : null
      const given = { terms: { ...terms, reward }, memberId, key, amount: 1, points, at }
      return [{ ...given, exactPoints: null, orderId: null, isHeld: true, isShared: false }]
    })
  )
}
