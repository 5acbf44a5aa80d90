import { activityBetween } from '#kit/clock'
import { moneyOf, readEntered } from '#kit/json-fields'
import { record } from '#kit/outbox'
import type { Ctx } from '#kit/postgres'
import { type FieldProblem, invalidFields } from '#kit/refusal'
import { storeContext } from '#stores'
import { loyaltyTemplateChanged } from '../events/loyalty-template-changed.ts'
import { lockLoyalty } from '../lock-loyalty.ts'
import { assertFits } from '../metafield-limit.ts'
import { tooManyTemplates } from '../refusals.ts'
import { type LoyaltyTemplate, templateRulesJson } from './template.ts'
import { codePrefixField, type TemplateType, templateRulesField } from './template-fields.ts'
import { getTemplate, insertTemplate, listTemplates, type TemplateToWrite, writeTemplate } from './template-queries.ts'
import { loyaltyTemplatesField, loyaltyTemplatesOf, MAX_TEMPLATES } from './templates-field.ts'

/** What an operator enters. What is `unknown` nobody has checked. */
export type TemplateInput = {
  name: string
  type: TemplateType
  rules: unknown
  requiredPoints: number
  codePrefix: unknown
  isEnabled: boolean
  startsAt: Temporal.Instant | null
  endsAt: Temporal.Instant | null
}

/** Creates a template. Refuses what cannot be, with all problems. */
export async function createTemplate(ctx: Ctx, input: TemplateInput): Promise<LoyaltyTemplate> {
  await lockLoyalty(ctx)
  const before = await listTemplates(ctx)
  if (before.length >= MAX_TEMPLATES) throw tooManyTemplates(MAX_TEMPLATES)
  const id = await insertTemplate(ctx, await checked(ctx, input))
  return changed(ctx, id, before, input)
}

/** Changes what is given; the rest stays. `rules` are given whole. Coupons that were bought stay as they are. */
export async function updateTemplate(ctx: Ctx, id: number, change: Partial<TemplateInput>): Promise<LoyaltyTemplate> {
  await lockLoyalty(ctx)
  const before = await listTemplates(ctx)
  const was = await getTemplate(ctx, id)
  await writeTemplate(ctx, id, await checked(ctx, { ...was, rules: templateRulesJson(was), ...change }))
  return changed(ctx, id, before, change)
}

async function changed(
  ctx: Ctx,
  id: number,
  before: LoyaltyTemplate[],
  given: Partial<TemplateInput>
): Promise<LoyaltyTemplate> {
  const after = await listTemplates(ctx)
  const { name, rules, startsAt, endsAt } = given
  assertFits(
    { key: 'svc_loyalty_coupons', field: loyaltyTemplatesField, what: 'templates' },
    {
      before: loyaltyTemplatesOf(before),
      after: loyaltyTemplatesOf(after),
      given: { name, rules, starts_at: startsAt, ends_at: endsAt }
    }
  )
  await record(ctx, loyaltyTemplateChanged({ id }))
  return after.find((template) => template.id === id)!
}

/** A template as it is written. Refuses with all problems. */
async function checked(ctx: Ctx, input: TemplateInput): Promise<TemplateToWrite> {
  const money = moneyOf((await storeContext(ctx)).currency)
  const problems: FieldProblem[] = []
  const { name, type, requiredPoints, isEnabled, startsAt, endsAt } = input
  const rules = readEntered(templateRulesField(type, money), input.rules, 'rules', problems)
  const codePrefix = readEntered(codePrefixField(), input.codePrefix, 'discount_code_prefix', problems)
  if (startsAt && endsAt && Temporal.Instant.compare(endsAt, startsAt) <= 0) {
    problems.push({ field: 'ends_at', code: 'invalid', message: `must be after starts_at, ${startsAt}` })
  }
  if (problems.length > 0) throw invalidFields(problems)
  return {
    name,
    type,
    rules: templateRulesJson({ type, rules, money }),
    requiredPoints,
    codePrefix,
    isEnabled,
    startsAt,
    endsAt,
    dueAt: activityBetween(input, ctx.now).dueAt
  }
}
