import { moneyOf, readEntered } from '#kit/json-fields'
import { record } from '#kit/outbox'
import type { Ctx } from '#kit/postgres'
import { type FieldProblem, invalidFields } from '#kit/refusal'
import { storeContext } from '#stores'
import { nameCollections } from '../collections/name-collections.ts'
import { loyaltyRuleChanged } from '../events/loyalty-rule-changed.ts'
import { lockLoyalty } from '../lock-loyalty.ts'
import { assertFits } from '../metafield-limit.ts'
import { tooManyRules } from '../refusals.ts'
import { type Reward, rewardField } from '../rewards/reward.ts'
import { unknownTiers } from '../tiers/tier-queries.ts'
import { type LoyaltyRule, rewardJson, ruleActivity, rulesJson } from './rule.ts'
import { getRule, insertRule, listRules, markRuleArchived, type RuleToWrite, writeRule } from './rule-queries.ts'
import { type RuleTypeName, ruleTypeOf } from './rule-types.ts'
import { loyaltyRulesField, loyaltyRulesOf, MAX_RULES } from './rules-field.ts'

/** What an operator enters. `rules` and `rewardRules` are JSON that nobody has checked. */
export type RuleInput = {
  name: string
  description: string
  rules: unknown
  rewardRules: unknown
  isEnabled: boolean
  startsOn: Temporal.PlainDate
  endsOn: Temporal.PlainDate | null
}

/** Creates a rule. It begins today unless it says another day. Refuses what its type does not accept, with all problems. */
export async function createRule(
  ctx: Ctx,
  typeName: RuleTypeName,
  { startsOn, ...input }: Omit<RuleInput, 'startsOn'> & { startsOn: Temporal.PlainDate | null }
): Promise<LoyaltyRule> {
  await lockLoyalty(ctx)
  const before = await listRules(ctx)
  if (before.length >= MAX_RULES) throw tooManyRules(MAX_RULES)
  const { timezone } = await storeContext(ctx)
  const today = ctx.now.toZonedDateTimeISO(timezone).toPlainDate()
  const rule = await checked(ctx, typeName, { ...input, startsOn: startsOn ?? today })
  const id = await insertRule(ctx, rule)
  return changed(ctx, id, before, input)
}

/** Changes what is given; the rest stays, and so does the type. `rules` and `rewardRules` are given whole. */
export async function updateRule(ctx: Ctx, id: number, change: Partial<RuleInput>): Promise<LoyaltyRule> {
  await lockLoyalty(ctx)
  const before = await listRules(ctx)
  const was = before.find((rule) => rule.id === id) ?? (await getRule(ctx, id))
  const { type, ...after } = await checked(ctx, was.type.name, {
    ...was,
    rules: rulesJson(was),
    rewardRules: rewardJson(was),
    ...change
  })
  await writeRule(ctx, id, after)
  return changed(ctx, id, before, change)
}

/** Archives a rule: it is not listed any more and gives nothing, and what was earned by it stays. Returns it as it was. */
export async function archiveRule(ctx: Ctx, id: number): Promise<LoyaltyRule> {
  await lockLoyalty(ctx)
  const rule = await getRule(ctx, id)
  await markRuleArchived(ctx, id)
  await nameCollections(ctx)
  await record(ctx, loyaltyRuleChanged({ id }))
  return rule
}

async function changed(ctx: Ctx, id: number, before: LoyaltyRule[], given: Partial<RuleInput>): Promise<LoyaltyRule> {
  const after = await listRules(ctx)
  // Only these make the metafield longer.
  const { name, rules, rewardRules } = given
  assertFits(
    { key: 'svc_loyalty_rules', field: loyaltyRulesField, what: 'rules' },
    {
      before: loyaltyRulesOf(before),
      after: loyaltyRulesOf(after),
      given: { name, rules, reward_rules: rewardRules }
    }
  )
  await nameCollections(ctx)
  await record(ctx, loyaltyRuleChanged({ id }))
  return after.find((rule) => rule.id === id)!
}

/** A rule as it is written. Refuses with all problems of its rules, its reward and its dates. */
async function checked(ctx: Ctx, typeName: string, input: RuleInput): Promise<RuleToWrite> {
  const type = ruleTypeOf(typeName)
  const { timezone, currency } = await storeContext(ctx)
  const money = moneyOf(currency)
  const problems: FieldProblem[] = []
  const rules = readEntered(type.field(money), input.rules, 'rules', problems) as Record<string, unknown>
  const reward: Reward = readEntered(rewardField(type.rewards, money), input.rewardRules, 'reward_rules', problems)
  if (input.endsOn && Temporal.PlainDate.compare(input.endsOn, input.startsOn) < 0) {
    problems.push({ field: 'end_date', code: 'invalid', message: `must not be before start_date, ${input.startsOn}` })
  }
  const tierIds = ((rules.tier_ids ?? []) as (number | undefined)[]).filter((id) => id !== undefined)
  problems.push(...(await unknownTiers(ctx, 'rules.tier_ids', tierIds)))
  if (problems.length > 0) throw invalidFields(problems)
  const { name, description, isEnabled, startsOn, endsOn } = input
  return {
    type: type.name,
    name,
    description,
    rules: rulesJson({ type, rules, money }),
    rewardRules: rewardJson({ type, reward, money }),
    isEnabled,
    startsOn,
    endsOn,
    dueAt: ruleActivity(input, ctx.now, timezone).dueAt
  }
}
