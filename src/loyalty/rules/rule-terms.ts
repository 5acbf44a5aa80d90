import { type Money, moneyOf, readStored } from '#kit/json-fields'
import { type Ctx, int, json, row, sql, text } from '#kit/postgres'
import { storeContext } from '#stores'
import { type Reward, rewardField } from '../rewards/reward.ts'
import type { LoyaltyRule } from './rule.ts'
import type { RuleType } from './rule-type.ts'
import { ruleTypeOf } from './rule-types.ts'

/** What a rule said in one of its versions. */
export type RuleTerms = {
  ruleId: number
  version: number
  /** Of the rule now: what people see. */
  name: string
  type: RuleType
  rules: Record<string, unknown>
  reward: Reward
  money: Money
}

/** What a rule says now. */
export const termsOf = ({ id: ruleId, ...rest }: LoyaltyRule): RuleTerms => ({ ruleId, ...rest })

/** All versions of these rules, archived ones too: of each the last one, and by `termsKey` any. A rule has few. */
export async function listTerms(
  ctx: Ctx,
  ruleIds: number[]
): Promise<{ last: Map<number, RuleTerms>; versions: Map<string, RuleTerms> }> {
  if (ruleIds.length === 0) return { last: new Map(), versions: new Map() }
  const rows = await ctx.tx.many(
    row({ ruleId: int, version: int, name: text, type: text, rules: json<unknown>(), rewardRules: json<unknown>() }),
    sql`
    select v.rule_id, v.version, r.name, r.type, v.rules, v.reward_rules
      from loyalty_rules r
      join loyalty_rule_versions v on v.store_id = ${ctx.storeId} and v.rule_id = r.id
     where r.store_id = ${ctx.storeId} and r.id = any(${ruleIds}::bigint[])
     order by v.rule_id, v.version`
  )
  const money = moneyOf((await storeContext(ctx)).currency)
  const terms = rows.map(({ type: name, rules, rewardRules, ...rest }): RuleTerms => {
    const type = ruleTypeOf(name)
    const what = `of version ${rest.version} of ${rest.ruleId}`
    return {
      ...rest,
      type,
      rules: readStored(type.field(money), rules, `rules ${what}`),
      reward: readStored(rewardField(type.rewards, money), rewardRules, `reward_rules ${what}`),
      money
    }
  })
  return {
    last: new Map(terms.map((one) => [one.ruleId, one])),
    versions: new Map(terms.map((one) => [termsKey(one), one]))
  }
}

export const termsKey = ({ ruleId, version }: { ruleId: number; version: number }): string => `${ruleId} ${version}`
