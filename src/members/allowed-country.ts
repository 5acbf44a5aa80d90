import { type Ctx, nullable, row, sql, text } from '#kit/postgres'
import { invalidField } from '#kit/refusal'
import type { Plan } from '#plans'

/** Refuses a plan to a customer outside its countries. Without a known country every plan is allowed. */
export function checkCountry(plan: Plan, country: string | null, field: string): void {
  if (isAllowed(plan, country)) return
  const allowed = plan.allowedCountries.join(', ')
  throw invalidField(field, `must be a customer in ${allowed}: the plan ${plan.name} is for no other country`)
}

const isAllowed = ({ allowedCountries: allowed }: Plan, country: string | null): boolean =>
  country === null || allowed.length === 0 || allowed.includes(country)

/** The same for a customer by id. */
export async function assertAllowedCountry(ctx: Ctx, plan: Plan, memberId: number, field: string): Promise<void> {
  checkCountry(plan, await countryOf(ctx, memberId), field)
}

/** Refuses a change to a plan that is not for the country of the subscription's holder. */
export async function assertHolderAllowed(ctx: Ctx, plan: Plan, memberId: number): Promise<void> {
  if (isAllowed(plan, await countryOf(ctx, memberId))) return
  const allowed = plan.allowedCountries.join(', ')
  throw invalidField(
    'plan_id',
    `must be a plan for the country of the subscription's member: ${plan.name} is for ${allowed} only`
  )
}

async function countryOf(ctx: Ctx, memberId: number): Promise<string | null> {
  const known = await ctx.tx.maybeOne(
    row({ countryCode: nullable(text) }),
    sql`select country_code from members where store_id = ${ctx.storeId} and id = ${memberId}`
  )
  return known?.countryCode ?? null
}
