import { type Ctx, sentTogether } from '#kit/postgres'
import { lockMembers } from '#members'
import { settingsOf, storeContext } from '#stores'
import type { Cause } from '../causes/cause.ts'
import { type LoyaltyRule, wasActive } from '../rules/rule.ts'
import { listRules } from '../rules/rule-queries.ts'
import { listTerms, type RuleTerms, termsKey } from '../rules/rule-terms.ts'
import { loyaltySettings } from '../settings.ts'
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
export async function countDeeds(ctx: Ctx, deeds: Deed[]): Promise<void> {
  if (deeds.length === 0) return
  const memberIds = [...new Set(deeds.map(({ memberId }) => memberId))].sort((a, b) => a - b)
  // Of two transactions that count something of one customer, the later sees what the other has counted.
  await lockMembers(ctx, memberIds)
  const { enabled } = await settingsOf(ctx, loyaltySettings)
  const [rules, known, { timezone }] = await sentTogether(
    enabled === 'on' ? listRules(ctx) : Promise.resolve([]),
    listCounts(ctx, deeds),
    storeContext(ctx)
  )
  // Whoever had an order before the platform gave it to another.
  const former = [...new Set(known.map(({ memberId }) => memberId))].filter((id) => !memberIds.includes(id))
  await lockMembers(ctx, former)
  const standings = await listStandings(ctx, [...memberIds, ...former])
  const terms = await listTerms(ctx, [...new Set([...rules.map(({ id }) => id), ...known.map(({ ruleId }) => ruleId)])])
  const before = new Map(known.map((count) => [countKey(count), count]))
  const changed = deeds.flatMap((deed) => {
    const isOld = (rule: LoyaltyRule) => !before.has(countKey({ ...deed, ruleId: rule.id, cause: deed.key }))
    const open = rules.filter((rule) => isOld(rule) && isOpenFor(rule, deed, standings.get(deed.memberId)!, timezone))
    return [
      ...ofDeed(known, deed).map((count) => ({ count, terms: terms.versions.get(termsKey(count))! })),
      ...open.map((rule) => ({ count: newCount(rule, deed), terms: terms.last.get(rule.id)! }))
    ].flatMap(({ count, terms }) => {
      const amount = count.memberId === deed.memberId ? amountOf(terms, deed.cause) : 0
      return amount === count.amount ? [] : [{ count: { ...count, amount }, terms, before: count.amount }]
    })
  })
  if (changed.length === 0) return
  await writeCounts(
    ctx,
    changed.map(({ count }) => count)
  )
  await settle(ctx, changed, { last: terms.last, standings, mayGive: enabled === 'on' })
}

const countKey = ({ ruleId, memberId, cause }: Pick<Count, 'ruleId' | 'memberId' | 'cause'>) =>
  `${ruleId} ${memberId} ${cause}`

/** What was counted of a deed before: of an order also for who had it before the platform gave it to another. */
const ofDeed = (known: Count[], { memberId, key, orderId }: Deed) =>
  known.filter((count) =>
    orderId === null ? count.memberId === memberId && count.cause === key : count.orderId === orderId
  )

const newCount = (rule: LoyaltyRule, { memberId, key, orderId, at }: Deed): Count => ({
  ...{ ruleId: rule.id, version: rule.version, memberId, cause: key, amount: 0, orderId, at }
})

/** Whether a rule counts a deed that it has not counted yet. */
function isOpenFor(rule: LoyaltyRule, { at, ruleId }: Deed, standing: CustomerStanding, timezone: string): boolean {
  return (ruleId === null || ruleId === rule.id) && wasActive(rule, at, timezone) && isFor(rule, standing)
}

/** The type alone knows what its rules hold. */
function amountOf({ type, rules }: RuleTerms, cause: Cause): number {
  const amount = type.counts.amounts[cause.kind] as ((rules: never, cause: Cause) => number) | undefined
  return amount?.(rules as never, cause) ?? 0
}

type ChangedCount = Changed['counts'][number]

async function settle(
  ctx: Ctx,
  changed: ChangedCount[],
  {
    last,
    standings,
    mayGive
  }: { last: Map<number, RuleTerms>; standings: Map<number, CustomerStanding>; mayGive: boolean }
): Promise<void> {
  const byPair = Map.groupBy(changed, ({ count }) => pairKey(count))
  const pairs: Pair[] = [...byPair.values()].map(([first]) => first!.count)
  const progress = new Map((await listProgress(ctx, pairs)).map((one) => [pairKey(one), one]))
  const progressOf = (pair: Pair) => progress.get(pairKey(pair)) ?? { ...pair, counted: 0, rewarded: 0 }
  const hasGoal = ({ ruleId }: Pair) => last.get(ruleId)!.type.counts.mode === 'sum'
  const goals = pairs
    .filter(hasGoal)
    .map((pair) => ({ ...pair, counted: countedOf(progressOf(pair).counted, byPair.get(pairKey(pair))!) }))
  const causes = changed.flatMap(({ count }) => (hasGoal(count) ? [] : [count]))
  const [standing, used] = await sentTogether(listStanding(ctx, causes, goals), listUsed(ctx, goals))
  const standingOf = Map.groupBy(standing, pairKey)
  const usedOf = new Map(used.map((one) => [pairKey(one), one.used]))
  const plans = pairs.map((pair) =>
    planAwards({
      terms: last.get(pair.ruleId)!,
      counts: byPair.get(pairKey(pair))!,
      progress: { ruleId: pair.ruleId, memberId: pair.memberId, ...amountsOf(progressOf(pair)) },
      standing: standingOf.get(pairKey(pair)) ?? [],
      used: usedOf.get(pairKey(pair)) ?? 0,
      multiplierHundredths: standings.get(pair.memberId)?.multiplierHundredths ?? 100,
      mayGive
    })
  )
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

const amountsOf = ({ counted, rewarded }: { counted: number; rewarded: number }) => ({ counted, rewarded })

const countedOf = (counted: number, changed: ChangedCount[]) =>
  changed.reduce((sum, { count, before }) => sum + count.amount - before, counted)
