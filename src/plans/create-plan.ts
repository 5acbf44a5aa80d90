import { minorOf } from '#kit/money'
import { type Database, sql } from '#kit/postgres'
import { invalidField, Refusal } from '#kit/refusal'
import type { Connector, Interval } from '#platform'
import { storeFacts } from '#stores'
import { findPlanByName, Plan } from './plan.ts'

export type PlanInput = {
  name: string
  type: 'vip' | 'elite'
  /** Decimal, in the store's currency. */
  price: string | number
  interval: Interval
  intervalCount: number
  /** The name that tags and discounts carry; the plan's name when left out. */
  tier?: string
  trialDays?: number
  /** Store credit issued with each paid cycle; decimal. */
  credit?: string | number
}

/**
 * Makes a plan: first the product and selling plan on the platform (found again when a first try broke off in between),
 * then ours. Refuses a name that is taken and values out of range, naming the field.
 */
export async function createPlan(db: Database, storeId: number, connector: Connector, input: PlanInput): Promise<Plan> {
  const checked = await db.inStore(storeId, async (ctx) => {
    const { currency } = await storeFacts(ctx)
    const terms = check(input, currency)
    if (await findPlanByName(ctx, terms.name)) throw nameTaken(terms.name)
    return { ...terms, currency }
  })
  const made = await connector.createPlanProduct(checked)
  if (!made.ok) throw new Refusal('unavailable', `The platform did not take the plan: ${made.failure.message}`)
  const { productId, variantId, sellingPlanGroupId, sellingPlanId } = made.value
  return db.inStore(storeId, async (ctx) => {
    const plan = await ctx.tx.maybeOne(
      Plan,
      sql`
      insert into plans (store_id, name, type, tier_name, price_minor, currency, interval, interval_count, trial_days,
        credit_minor, platform_product_id, platform_variant_id, platform_selling_plan_group_id, platform_selling_plan_id,
        created_at, updated_at)
      values (${ctx.storeId}, ${checked.name}, ${checked.type}, ${checked.tierName}, ${checked.priceMinor},
        ${checked.currency}, ${checked.interval}, ${checked.intervalCount}, ${checked.trialDays}, ${checked.creditMinor},
        ${productId}, ${variantId}, ${sellingPlanGroupId}, ${sellingPlanId}, ${ctx.now}, ${ctx.now})
      on conflict do nothing returning *`
    )
    if (!plan) throw nameTaken(checked.name)
    return plan
  })
}

const nameTaken = (name: string) => new Refusal('conflict', `There is already a plan named ${name}`)

function check(input: PlanInput, currency: string) {
  const name = input.name.trim()
  const tierName = (input.tier ?? name).trim()
  if (name.length < 1 || name.length > 100) throw invalidField('name', 'takes 1 to 100 characters')
  if (tierName.length < 1 || tierName.length > 100) throw invalidField('tier', 'takes 1 to 100 characters')
  // The tier's name goes into tags, and the platform splits tags at commas.
  if (tierName.includes(',')) throw invalidField('tier', 'takes no comma: it becomes an order tag')
  const whole = (field: string, value: number, low: number, high: number) => {
    if (!Number.isInteger(value) || value < low || value > high) {
      throw invalidField(field, `takes a whole number from ${low} to ${high}`)
    }
    return value
  }
  const positive = (field: string, value: number) => {
    if (value < 0) throw invalidField(field, 'takes an amount of 0 or more')
    return value
  }
  return {
    name,
    tierName,
    type: input.type,
    priceMinor: positive('price', minorOf(input.price, currency, 'price')),
    interval: input.interval,
    intervalCount: whole('interval_count', input.intervalCount, 1, 28),
    trialDays: whole('trial_days', input.trialDays ?? 0, 0, 365),
    creditMinor: positive('credit', minorOf(input.credit ?? 0, currency, 'credit'))
  }
}
