import { type Ctx, nullable, row, sql, text } from '#kit/postgres'
import { invalidField } from '#kit/refusal'
import type { Plan } from '#plans'

/** Refuses a plan to who lives where it is not for. Of whom no country is known everything is allowed. */
export function checkCountry(plan: Plan, country: string | null, field: string): void {
  if (isAllowed(plan, country)) return
  const allowed = plan.allowedCountries.join(', ')
  throw invalidField(field, `must be a customer in ${allowed}: the plan ${plan.name} is for no other country`)
}

const isAllowed = ({ allowedCountries: allowed }: Plan, country: string | null): boolean =>
  country === null || allowed.length === 0 || allowed.includes(country)

/** The same by what we know of a customer. */
export async function assertAllowedCountry(ctx: Ctx, plan: Plan, memberId: number, field: string): Promise<void> {
  checkCountry(plan, await countryOf(ctx, memberId), field)
}

/** Refuses to go over to a plan that is not for where its holder lives. */
export async function assertHolderAllowed(ctx: Ctx, plan: Plan, memberId: number): Promise<void> {
  if (isAllowed(plan, await countryOf(ctx, memberId))) return
  const allowed = plan.allowedCountries.join(', ')
  throw invalidField('plan_id', `must be a plan for the country of who holds it: ${plan.name} is for ${allowed} alone`)
}

async function countryOf(ctx: Ctx, memberId: number): Promise<string | null> {
  const known = await ctx.tx.maybeOne(
    row({ countryCode: nullable(text) }),
    sql`select country_code from members where store_id = ${ctx.storeId} and id = ${memberId}`
  )
  return known?.countryCode ?? null
}
