import { issueGrants, revokeGrants } from '#contracts'
import { changeCredits } from '#credits'
import { daysAfter } from '#kit/clock'
import type { Ctx } from '#kit/postgres'
import { earnPoints, reversePoints } from '#points'
import { settingsOf, storeContext } from '#stores'
import { termsOfReward } from '../coupons/coupon-terms.ts'
import { revokeCoupons } from '../coupons/end-coupons.ts'
import { issueCoupons } from '../coupons/issue-coupons.ts'
import { termsOnContract } from '../rewards/on-contract.ts'
import type { RuleTerms } from '../rules/rule-terms.ts'
import { loyaltySettings } from '../settings.ts'
import { type Award, awardKey, countGiven, insertAwards, markReversed } from './award-queries.ts'
import type { Give } from './plan-awards.ts'

/** Gives rewards and records them. Points that are held are pending for the days that the shop has set. */
export async function giveRewards(ctx: Ctx, gives: Give[]): Promise<void> {
  if (gives.length === 0) return
  const given = await countGiven(ctx, gives.map(withRule))
  const numbered = gives.map((give) => {
    const nth = (given.get(awardKey(withRule(give))) ?? 0) + 1
    return { give, nth, operationId: `award:${awardKey(withRule(give))}:${nth}` }
  })
  const points = await givePoints(ctx, numbered)
  const credit = await giveCredit(ctx, numbered)
  const coupons = await giveCoupons(ctx, numbered)
  const grants = await giveOnContracts(ctx, numbered)
  await insertAwards(
    ctx,
    numbered.map(({ give, nth, operationId }) => ({
      ruleId: give.terms.ruleId,
      version: give.terms.version,
      memberId: give.memberId,
      key: give.key,
      nth,
      amount: give.amount,
      orderId: give.orderId,
      points: give.points,
      pointsEntryId: points.get(operationId) ?? null,
      creditEntryId: credit.get(operationId) ?? null,
      couponId: coupons.get(operationId) ?? null,
      grantId: grants.get(operationId) ?? null
    }))
  )
}

const withRule = ({ terms: { ruleId }, memberId, key }: Give) => ({ ruleId, memberId, key })

type Numbered = { give: Give; nth: number; operationId: string }

/** The entries of the ledger of points, by operation. */
async function givePoints(ctx: Ctx, all: Numbered[]): Promise<Map<string, number>> {
  const { holdDays, pointsExpireAfterDays: expireAfterDays } = await settingsOf(ctx, loyaltySettings)
  const { timezone } = await storeContext(ctx)
  const readyAt = ({ isHeld, at }: Give) => (isHeld && holdDays > 0 ? daysAfter(at, holdDays, timezone) : null)
  const entries = await earnPoints(
    ctx,
    all.flatMap(({ give, operationId }) => {
      const { memberId, points, exactPoints, orderId, isShared, terms } = give
      if (points === null) return []
      const cause = { memberId, points, exactPoints, reason: terms.name, operationId, orderId }
      return [{ ...cause, readyAt: readyAt(give), expireAfterDays, isShared }]
    })
  )
  return new Map(entries.map(({ operationId, id }) => [operationId, id]))
}

/** The entries of the ledger of store credit, by operation. They name no order: what was counted decides alone whether they stand. */
async function giveCredit(ctx: Ctx, all: Numbered[]): Promise<Map<string, number>> {
  const outcomes = await changeCredits(
    ctx,
    all.flatMap(({ give: { memberId, terms }, operationId }) => {
      const { reward, name } = terms
      if (reward.type !== 'store_credit') return []
      return [{ memberId, type: 'loyalty_reward' as const, amountMinor: reward.amount, reason: name, operationId }]
    })
  )
  return new Map(outcomes.flatMap(({ entry }) => (entry ? [[entry.operationId, entry.id]] : [])))
}

/** The coupons, by operation. */
async function giveCoupons(ctx: Ctx, all: Numbered[]): Promise<Map<string, number>> {
  const { couponsExpireAfterDays: expiresAfterDays } = await settingsOf(ctx, loyaltySettings)
  return issueCoupons(
    ctx,
    all.flatMap(({ give: { memberId, terms }, operationId }) => {
      const { ruleId, name, reward, money } = terms
      const coupon = termsOfReward(reward, money)
      if (coupon === null) return []
      const codePrefix = 'code_prefix' in reward ? reward.code_prefix : ''
      return [{ memberId, source: { ruleId }, name, terms: coupon, codePrefix, expiresAfterDays, operationId }]
    })
  )
}

/** What contracts of the customers have for some renewals, by operation. What is left of it when one ends goes to another. */
function giveOnContracts(ctx: Ctx, all: Numbered[]): Promise<Map<string, number>> {
  return issueGrants(
    ctx,
    all.flatMap(({ give: { memberId, terms }, operationId }) => {
      const onContract = termsOnContract(terms.reward, terms.money)
      if (onContract === null) return []
      return [
        { memberId, subscriptionId: null, label: terms.name, terms: onContract, isTransferable: true, operationId }
      ]
    })
  )
}

/**
 * Takes rewards back that stand no more: at most what is left of points and credit, with the rest as the shortfall of the entry; coupons that
 * nobody has used; and what is left of renewals.
 */
export async function takeBackRewards(ctx: Ctx, awards: Award[], last: ReadonlyMap<number, RuleTerms>): Promise<void> {
  if (awards.length === 0) return
  const reasonOf = ({ ruleId }: Award) => `${last.get(ruleId)!.name}: no longer earned`
  await reversePoints(
    ctx,
    awards.flatMap((award) => {
      const { id, pointsEntryId: entryId } = award
      return entryId === null ? [] : [{ entryId, reason: reasonOf(award), operationId: `award-undone:${id}` }]
    })
  )
  await takeBackCredit(ctx, awards, reasonOf)
  await revokeCoupons(
    ctx,
    awards.flatMap(({ couponId }) => couponId ?? [])
  )
  await revokeGrants(
    ctx,
    awards.flatMap(({ grantId }) => grantId ?? [])
  )
  await markReversed(
    ctx,
    awards.map(({ id }) => id)
  )
}

async function takeBackCredit(ctx: Ctx, awards: Award[], reasonOf: (award: Award) => string): Promise<void> {
  await changeCredits(
    ctx,
    awards.flatMap((award) => {
      const { id, memberId, creditEntryId: reversesId, creditMinor } = award
      if (reversesId === null || creditMinor === null) return []
      const common = { memberId, type: 'refund' as const, reason: reasonOf(award), operationId: `award-undone:${id}` }
      return [{ ...common, amountMinor: -creditMinor, isCapped: true, reversesId }]
    })
  )
}
