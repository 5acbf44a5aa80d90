import { activityBetween } from '#kit/clock'
import { type Money, moneyOf, readStored } from '#kit/json-fields'
import { bool, day, instant, int, json, nullable, type RowOf, row, text } from '#kit/postgres'
import { type Reward, rewardField, rewardWords } from '../rewards/reward.ts'
import type { RuleType } from './rule-type.ts'
import { ruleTypeOf } from './rule-types.ts'

export const RuleRow = row({
  id: int,
  type: text,
  name: text,
  description: text,
  rules: json<unknown>(),
  rewardRules: json<unknown>(),
  isEnabled: bool,
  startsOn: day,
  endsOn: nullable(day),
  /** Rises with each change of `rules` or `reward_rules`. */
  version: int,
  /** Since when it counts again, after it was disabled or loyalty was off; null: since it was created. */
  countsFrom: nullable(instant),
  createdAt: instant,
  updatedAt: instant
})

/** What decides whether a rule is active. The days are those of the shop, both inclusive. */
export type RuleDates = { isEnabled: boolean; startsOn: Temporal.PlainDate; endsOn: Temporal.PlainDate | null }

/** For what customers earn. */
export type LoyaltyRule = Omit<RowOf<typeof RuleRow>, 'type' | 'rules' | 'rewardRules'> & {
  type: RuleType
  /** As its type reads them: money is in minor units. */
  rules: Record<string, unknown>
  reward: Reward
  /** Enabled, and within its dates by the store's clock. */
  isActive: boolean
  money: Money
}

/** A row as the store understands it now. */
export function ruleOfRow(
  { type: name, rules, rewardRules, ...rest }: RowOf<typeof RuleRow>,
  { now, timezone, currency }: { now: Temporal.Instant; timezone: string; currency: string }
): LoyaltyRule {
  const type = ruleTypeOf(name)
  const money = moneyOf(currency)
  return {
    ...rest,
    type,
    rules: readStored(type.field(money), rules, `rules of ${rest.id}`),
    reward: readStored(rewardField(type.rewards, money), rewardRules, `reward_rules of ${rest.id}`),
    isActive: ruleActivity(rest, now, timezone).isActive,
    money
  }
}

/** Whether a rule is active at an instant of the store's clock, and when that changes next; null: it does not by itself. */
export function ruleActivity({ isEnabled, startsOn, endsOn }: RuleDates, now: Temporal.Instant, timezone: string) {
  const midnight = (date: Temporal.PlainDate) => date.toZonedDateTime(timezone).toInstant()
  return activityBetween(
    { isEnabled, startsAt: midnight(startsOn), endsAt: endsOn && midnight(endsOn.add({ days: 1 })) },
    now
  )
}

/**
 * Whether a rule that is enabled counts what was done at an instant: within its dates, and not before it was created, unless it begins on a day before
 * that; and nothing of the time before it was enabled again.
 */
export function wasActive(
  rule: RuleDates & Pick<LoyaltyRule, 'createdAt' | 'countsFrom'>,
  at: Temporal.Instant,
  timezone: string
): boolean {
  const { isEnabled, startsOn, endsOn, createdAt, countsFrom } = rule
  const dayOf = (instant: Temporal.Instant) => instant.toZonedDateTimeISO(timezone).toPlainDate()
  const day = dayOf(at)
  const isBefore = (a: Temporal.PlainDate, b: Temporal.PlainDate) => Temporal.PlainDate.compare(a, b) < 0
  // The platform says times in whole seconds: what was done in the second of a change was done after it.
  const isSince = (instant: Temporal.Instant) =>
    Temporal.Instant.compare(instant.round({ smallestUnit: 'second', roundingMode: 'floor' }), at) <= 0
  if (!isEnabled || isBefore(day, startsOn) || (endsOn !== null && isBefore(endsOn, day))) return false
  if (countsFrom !== null && !isSince(countsFrom)) return false
  return isSince(createdAt) || isBefore(startsOn, dayOf(createdAt))
}

/** `rules` as JSON. */
export const rulesJson = ({ type, rules, money }: Pick<LoyaltyRule, 'type' | 'rules' | 'money'>) =>
  type.field(money).write(rules as never) as Record<string, unknown>

/** `reward_rules` as JSON. */
export const rewardJson = ({ type, reward, money }: Pick<LoyaltyRule, 'type' | 'reward' | 'money'>) =>
  rewardField(type.rewards, money).write(reward) as Record<string, unknown>

/** What to do and what it gives, in a sentence: "Spend $100 in all and get 500 points". */
export const ruleSentence = ({
  type,
  rules,
  reward,
  money
}: Pick<LoyaltyRule, 'type' | 'rules' | 'reward' | 'money'>): string =>
  type.sentence(rules as never, { reward: rewardWords(type.rewards, reward, money), money })

/** What `completion_progress` of the rule needs; null: it is never complete. */
export const ruleRequired = ({ type, rules, money }: Pick<LoyaltyRule, 'type' | 'rules' | 'money'>): number | null =>
  type.required(rules as never, money)
