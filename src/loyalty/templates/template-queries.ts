import { type Ctx, int, row, sql } from '#kit/postgres'
import { storeContext } from '#stores'
import { loyaltyTemplateNotFound } from '../refusals.ts'
import { type LoyaltyTemplate, TemplateRow, templateOfRow } from './template.ts'
import type { TemplateType } from './template-fields.ts'

/** All templates, in the order in which they were created. */
export async function listTemplates(ctx: Ctx): Promise<LoyaltyTemplate[]> {
  const rows = await ctx.tx.many(
    TemplateRow,
    sql`
    select id, name, type, rules, required_points, code_prefix, is_enabled, starts_at, ends_at, created_at, updated_at
      from loyalty_templates where store_id = ${ctx.storeId} order by id`
  )
  const { currency } = await storeContext(ctx)
  return rows.map((one) => templateOfRow(one, { now: ctx.now, currency }))
}

/** Refuses an id that names no template of the store. */
export async function getTemplate(ctx: Ctx, id: number): Promise<LoyaltyTemplate> {
  const found = await ctx.tx.maybeOne(
    TemplateRow,
    sql`
    select id, name, type, rules, required_points, code_prefix, is_enabled, starts_at, ends_at, created_at, updated_at
      from loyalty_templates where store_id = ${ctx.storeId} and id = ${id}`
  )
  if (!found) throw loyaltyTemplateNotFound(id)
  const { currency } = await storeContext(ctx)
  return templateOfRow(found, { now: ctx.now, currency })
}

export type TemplateToWrite = {
  name: string
  type: TemplateType
  rules: object
  requiredPoints: number
  codePrefix: string
  isEnabled: boolean
  startsAt: Temporal.Instant | null
  endsAt: Temporal.Instant | null
  dueAt: Temporal.Instant | null
}

/** Returns its id. */
export async function insertTemplate(ctx: Ctx, one: TemplateToWrite): Promise<number> {
  const { id } = await ctx.tx.one(
    row({ id: int }),
    sql`
    insert into loyalty_templates (store_id, name, type, rules, required_points, code_prefix, is_enabled, starts_at, ends_at, due_at, created_at, updated_at)
    values (${ctx.storeId}, ${one.name}, ${one.type}, ${JSON.stringify(one.rules)}::jsonb, ${one.requiredPoints}, ${one.codePrefix},
            ${one.isEnabled}, ${one.startsAt}, ${one.endsAt}, ${one.dueAt}, ${ctx.now}, ${ctx.now})
    returning id`
  )
  return id
}

export async function writeTemplate(ctx: Ctx, id: number, one: TemplateToWrite): Promise<void> {
  await ctx.tx.run(sql`
    update loyalty_templates
       set name = ${one.name}, type = ${one.type}, rules = ${JSON.stringify(one.rules)}::jsonb, required_points = ${one.requiredPoints},
           code_prefix = ${one.codePrefix}, is_enabled = ${one.isEnabled}, starts_at = ${one.startsAt}, ends_at = ${one.endsAt},
           due_at = ${one.dueAt}, updated_at = ${ctx.now}
     where store_id = ${ctx.storeId} and id = ${id}`)
}
