import { type Ctx, nullable, row, sql, text } from '#kit/postgres'
import { invalidField } from '#kit/refusal'
import type { Plan } from '#plans'

/** Refuses a plan to who lives where it is not for. Of whom no country is known everything is allowed. */
export function checkCountry(plan: Plan, country: string | null, field: string): void {
  const { allowedCountries: allowed, name } = plan
  if (country === null || allowed.length === 0 || allowed.includes(country)) return
  throw invalidField(field, `takes a customer in ${allowed.join(', ')}: the plan ${name} is for no other country`)
}

/** The same by what we know of a customer. */
export async function mustBeAllowedCountry(ctx: Ctx, plan: Plan, memberId: number, field: string): Promise<void> {
  const known = await ctx.tx.maybeOne(
    row({ countryCode: nullable(text) }),
    sql`select country_code from members where store_id = ${ctx.storeId} and id = ${memberId}`
  )
  checkCountry(plan, known?.countryCode ?? null, field)
}
