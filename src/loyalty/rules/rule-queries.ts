import { type Ctx, int, row, sql } from '#kit/postgres'
import { storeContext } from '#stores'
import { loyaltyRuleNotFound } from '../refusals.ts'
import { type LoyaltyRule, RuleRow, ruleOfRow } from './rule.ts'

/** All rules that are not archived, in the order in which they were created. */
export async function listRules(ctx: Ctx): Promise<LoyaltyRule[]> {
  const rows = await ctx.tx.many(
    RuleRow,
    sql`
    select id, type, name, description, rules, reward_rules, is_enabled, starts_on, ends_on, version, counts_from,
           created_at, updated_at
      from loyalty_rules where store_id = ${ctx.storeId} and archived_at is null order by id`
  )
  const store = await storeContext(ctx)
  return rows.map((one) => ruleOfRow(one, { now: ctx.now, ...store }))
}

/** A rule that is not archived. Refuses any other. */
export async function getRule(ctx: Ctx, id: number): Promise<LoyaltyRule> {
  const found = await ctx.tx.maybeOne(
    RuleRow,
    sql`
    select id, type, name, description, rules, reward_rules, is_enabled, starts_on, ends_on, version, counts_from,
           created_at, updated_at
      from loyalty_rules where store_id = ${ctx.storeId} and id = ${id} and archived_at is null`
  )
  if (!found) throw loyaltyRuleNotFound(id)
  return ruleOfRow(found, { now: ctx.now, ...(await storeContext(ctx)) })
}

export type RuleToWrite = {
  type: string
  name: string
  description: string
  rules: object
  rewardRules: object
  isEnabled: boolean
  startsOn: Temporal.PlainDate
  endsOn: Temporal.PlainDate | null
  dueAt: Temporal.Instant | null
}

/** Returns its id. */
export async function insertRule(ctx: Ctx, rule: RuleToWrite): Promise<number> {
  const { id } = await ctx.tx.one(
    row({ id: int }),
    sql`
    insert into loyalty_rules (store_id, type, name, description, rules, reward_rules, is_enabled, starts_on, ends_on, due_at, created_at, updated_at)
    values (${ctx.storeId}, ${rule.type}, ${rule.name}, ${rule.description}, ${JSON.stringify(rule.rules)}::jsonb,
            ${JSON.stringify(rule.rewardRules)}::jsonb, ${rule.isEnabled}, ${rule.startsOn}, ${rule.endsOn}, ${rule.dueAt},
            ${ctx.now}, ${ctx.now})
    returning id`
  )
  await insertVersion(ctx, id)
  return id
}

/** Keeps what the rule says now, if its version is new. */
async function insertVersion(ctx: Ctx, id: number): Promise<void> {
  await ctx.tx.run(sql`
    insert into loyalty_rule_versions (store_id, rule_id, version, rules, reward_rules, created_at)
    select ${ctx.storeId}, r.id, r.version, r.rules, r.reward_rules, ${ctx.now}
      from (select id, version, rules, reward_rules from loyalty_rules where store_id = ${ctx.storeId} and id = ${id} offset 0) r
    on conflict (store_id, rule_id, version) do nothing`)
}

/** The type stays. Another content is another version. A rule that was disabled counts from now on. */
export async function writeRule(ctx: Ctx, id: number, rule: Omit<RuleToWrite, 'type'>): Promise<void> {
  await ctx.tx.run(sql`
    update loyalty_rules
       set version = case when rules = ${JSON.stringify(rule.rules)}::jsonb and reward_rules = ${JSON.stringify(rule.rewardRules)}::jsonb
                          then version else version + 1 end,
           name = ${rule.name}, description = ${rule.description}, rules = ${JSON.stringify(rule.rules)}::jsonb,
           reward_rules = ${JSON.stringify(rule.rewardRules)}::jsonb, is_enabled = ${rule.isEnabled},
           counts_from = case when ${rule.isEnabled} and not is_enabled then ${ctx.now} else counts_from end,
           starts_on = ${rule.startsOn}, ends_on = ${rule.endsOn}, due_at = ${rule.dueAt}, updated_at = ${ctx.now}
     where store_id = ${ctx.storeId} and id = ${id}`)
  await insertVersion(ctx, id)
}

/** Loyalty is on again: rules count from now on. */
export async function countFromNow(ctx: Ctx): Promise<void> {
  await ctx.tx.run(sql`
    update loyalty_rules set counts_from = ${ctx.now}
     where store_id = ${ctx.storeId} and is_enabled and archived_at is null`)
}

export async function markRuleArchived(ctx: Ctx, id: number): Promise<void> {
  await ctx.tx.run(sql`
    update loyalty_rules set is_enabled = false, due_at = null, archived_at = ${ctx.now}, updated_at = ${ctx.now}
     where store_id = ${ctx.storeId} and id = ${id}`)
}

/** After a change of the shop's time zone: its days begin at other instants. The engine of loyalty looks at each rule again. */
export async function recheckRuleDates(ctx: Ctx): Promise<void> {
  await ctx.tx.run(sql`
    update loyalty_rules set due_at = ${ctx.now}
     where store_id = ${ctx.storeId} and is_enabled and archived_at is null`)
}
