import { type Ctx, instant, int, oneOf, type RowOf, row, sql, text } from '#kit/postgres'

/** A membership that customers can join. Money in minor units of `currency`. */
export const Plan = row({
  id: int,
  name: text,
  type: oneOf('vip', 'elite'),
  tierName: text,
  priceMinor: int,
  currency: text,
  interval: oneOf('day', 'week', 'month', 'year'),
  intervalCount: int,
  trialDays: int,
  creditMinor: int,
  platformProductId: text,
  platformVariantId: text,
  platformSellingPlanGroupId: text,
  platformSellingPlanId: text,
  createdAt: instant,
  updatedAt: instant
})
export type Plan = RowOf<typeof Plan>

/** All plans of the store, oldest first. */
export function listPlans(ctx: Ctx): Promise<Plan[]> {
  return ctx.tx.many(Plan, sql`select * from plans where store_id = ${ctx.storeId} order by id`)
}

export function findPlanByName(ctx: Ctx, name: string): Promise<Plan | null> {
  return ctx.tx.maybeOne(Plan, sql`select * from plans where store_id = ${ctx.storeId} and name = ${name}`)
}
