import { type Ctx, sentTogether } from '#kit/postgres'
import { lockMembers } from '#members'
import { storeContext } from '#stores'
import type { Cause } from '../causes/cause.ts'
import { type Scope, waitsForCollections } from '../causes/order-amounts.ts'
import { isLoyaltyOn } from '../is-loyalty-on.ts'
import { type LoyaltyRule, wasActive } from '../rules/rule.ts'
import { listRules } from '../rules/rule-queries.ts'
import { listTerms, type RuleTerms, termsKey, termsOf } from '../rules/rule-terms.ts'
import { listStanding, listUsed } from './award-queries.ts'
import { listCounts, listProgress, writeCounts, writeProgress } from './count-queries.ts'
import { type CustomerStanding, isFor, listStandings } from './customer-standing.ts'
import { type Count, type Deed, type Pair, pairKey } from './deed.ts'
import { giveRewards, takeBackRewards } from './give-rewards.ts'
import { type Changed, planAwards } from './plan-awards.ts'

/**
 * Counts what customers did by the rules that are active, and gives the rewards that follow from it, in this transaction. What was counted already is
 * counted as it is now: a deed may come any number of times, and in any order. A deed whose cause counts no more takes its rewards
 * back. What was counted stays with the version of the rule that counted it first.
 */
export async function countDeeds(ctx: Ctx, given: Deed[]): Promise<void> {
  if (given.length === 0) return
  // Of a deed that is reported twice at once the first counts.
  const deeds = [...Map.groupBy(given, (deed) => `${deed.memberId} ${deed.key} ${deed.ruleId}`).values()].map(
    ([first]) => first!
  )
  const memberIds = [...new Set(deeds.map(({ memberId }) => memberId))].sort((a, b) => a - b)
  // Of two transactions that count something of one customer, the later sees what the other has counted.
  await lockMembers(ctx, memberIds)
  const isOn = await isLoyaltyOn(ctx)
  const [rules, known, { timezone }] = await sentTogether(
    isOn ? listRules(ctx) : Promise.resolve([]),
    listCounts(ctx, deeds),
    storeContext(ctx)
  )
  // Whoever had an order before the platform gave it to another.
  const former = [...new Set(known.map(({ memberId }) => memberId))].filter((id) => !memberIds.includes(id))
  await lockMembers(ctx, former)
  const standings = await listStandings(ctx, [...memberIds, ...former])
  const { last, versions } = await termsFor(ctx, rules, known)
  const before = new Set(known.map(countKey))
  const byDeed = Map.groupBy(known, deedOfCount)
  const changed = deeds.flatMap((deed) => {
    const isOld = (rule: LoyaltyRule) => !before.has(countKey({ ...deed, ruleId: rule.id, cause: deed.key }))
    const open = rules.filter((rule) => isOld(rule) && isOpenFor(rule, deed, standings.get(deed.memberId)!, timezone))
    return [
      ...(byDeed.get(keyOfDeed(deed)) ?? []).map((count) => ({ count, terms: versions.get(termsKey(count))! })),
      ...open.map((rule) => ({ count: newCount(rule, deed, standings.get(deed.memberId)!), terms: last.get(rule.id)! }))
    ].flatMap(({ count, terms }) => {
      if (waits(terms, deed.cause)) return []
      const amount = count.memberId === deed.memberId ? amountOf(terms, deed.cause) : 0
      return amount === count.amount ? [] : [{ count: { ...count, amount }, terms, before: count.amount }]
    })
  })
  if (changed.length === 0) return
  await writeCounts(
    ctx,
    changed.map(({ count }) => count)
  )
  await settle(ctx, changed, { last, mayGive: isOn })
}

const countKey = ({ ruleId, memberId, cause }: Pick<Count, 'ruleId' | 'memberId' | 'cause'>) =>
  `${ruleId} ${memberId} ${cause}`

/** What rules say now, and what those said by which something was counted before. Most of that was counted by what a rule says now. */
async function termsFor(ctx: Ctx, rules: LoyaltyRule[], known: Count[]) {
  const current = new Map(rules.map((rule) => [rule.id, termsOf(rule)]))
  const older = known.filter(({ ruleId, version }) => current.get(ruleId)?.version !== version)
  const { last, versions } = await listTerms(ctx, [...new Set(older.map(({ ruleId }) => ruleId))])
  for (const [ruleId, terms] of current) {
    last.set(ruleId, terms)
    versions.set(termsKey(terms), terms)
  }
  return { last, versions }
}

/** What is counted of an order is found by it, also of who had it before the platform gave it to another. */
const keyOfDeed = ({ memberId, key, orderId }: Pick<Deed, 'memberId' | 'key' | 'orderId'>) =>
  orderId === null ? `${memberId} ${key}` : orderId
const deedOfCount = ({ cause: key, ...count }: Count) => keyOfDeed({ ...count, key })

/** What a rule is about to count. */
export const newCount = (
  rule: LoyaltyRule,
  { memberId, key, orderId, at }: Deed,
  { multiplierHundredths }: CustomerStanding
): Count => ({
  ...{ ruleId: rule.id, version: rule.version, memberId, cause: key, amount: 0, multiplierHundredths, orderId, at }
})

/** Whether a rule counts a deed that it has not counted yet. */
function isOpenFor(rule: LoyaltyRule, { at, ruleId }: Deed, standing: CustomerStanding, timezone: string): boolean {
  return (ruleId === null || ruleId === rule.id) && wasActive(rule, at, timezone) && isFor(rule, standing)
}

/** Whether a rule does not know yet what it counts of an order. Then what it counted stays, and it is counted later. */
const waits = ({ rules }: RuleTerms, cause: Cause) =>
  cause.kind === 'order' && waitsForCollections(cause, rules as unknown as Scope)

/** How much a rule counts of a cause; 0: nothing. The type alone knows what its rules hold. */
export function amountOf({ type, rules }: RuleTerms, cause: Cause): number {
  const amount = type.counts.amounts[cause.kind] as ((rules: never, cause: Cause) => number) | undefined
  return amount?.(rules as never, cause) ?? 0
}

type ChangedCount = Changed['counts'][number]

async function settle(
  ctx: Ctx,
  changed: ChangedCount[],
  { last, mayGive }: { last: Map<number, RuleTerms>; mayGive: boolean }
): Promise<void> {
  const byPair = Map.groupBy(changed, ({ count }) => pairKey(count))
  const pairs = [...byPair.values()].map((counts): Pair => {
    const { ruleId, memberId } = counts[0]!.count
    return { ruleId, memberId }
  })
  const progress = new Map((await listProgress(ctx, pairs)).map((one) => [pairKey(one), one]))
  const changes = pairs.map((pair) => {
    const counts = byPair.get(pairKey(pair))!
    const before = progress.get(pairKey(pair)) ?? { ...pair, counted: 0, rewarded: 0 }
    const counted = counts.reduce((sum, { count, before }) => sum + count.amount - before, before.counted)
    return { terms: last.get(pair.ruleId)!, counts, progress: { ...before, counted } }
  })
  const hasGoal = ({ ruleId }: Pair) => last.get(ruleId)!.type.counts.mode === 'sum'
  const goals = changes.flatMap(({ progress }) => (hasGoal(progress) ? [progress] : []))
  const causes = changed.flatMap(({ count }) => (hasGoal(count) ? [] : [count]))
  const [standing, used] = await sentTogether(listStanding(ctx, causes, goals), listUsed(ctx, goals))
  const standingOf = Map.groupBy(standing, pairKey)
  const usedOf = new Map(used.map((one) => [pairKey(one), one.used]))
  const plans = changes.map((change) => {
    const key = pairKey(change.progress)
    return planAwards({
      ...change,
      standing: standingOf.get(key) ?? [],
      used: usedOf.get(key) ?? 0,
      mayGive
    })
  })
  await takeBackRewards(
    ctx,
    plans.flatMap(({ reverses }) => reverses),
    last
  )
  await giveRewards(
    ctx,
    plans.flatMap(({ gives }) => gives)
  )
  await writeProgress(
    ctx,
    plans.map((plan) => plan.progress)
  )
}
