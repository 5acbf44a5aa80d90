import { record } from '#kit/outbox'
import type { Ctx, Database } from '#kit/postgres'
import { invalidField } from '#kit/refusal'
import type { Connector, Interval } from '#platform'
import { refuseOnHold, storeContext } from '#stores'
import { platformTerms, publishPlan, publishToChannels } from './change-plan.ts'
import { planChanged } from './events/plan-changed.ts'
import { otherMainPlan } from './main-plans.ts'
import { changedPerks, perksFrom } from './perks.ts'
import type { Plan } from './plan.ts'
import {
  amountFrom,
  countriesFrom,
  NO_TRIAL,
  nameFrom,
  productsFrom,
  type TrialInput,
  tierFrom,
  trialFrom,
  wholeFrom
} from './plan-input.ts'
import { assertReadable } from './published/assert-readable.ts'
import { findPlan, findPlanByName, insertPlan } from './queries.ts'
import { nameTaken, publishFailed } from './refusals.ts'
import { cyclesFrom, perksOf } from './update-plan.ts'

export type PlanInput = TrialInput & {
  name: string
  type: Plan['type']
  /** Decimal, in the store's currency. */
  price: string | number
  interval: Interval
  intervalCount: number
  status?: Plan['status']
  /** The tier's name in tags and discounts; defaults to the plan's name. Not accepted for a product plan. */
  tier?: string
  /** Store credit issued with each paid cycle; decimal. The same as `store_credit.amount` of the perks. */
  credit?: string | number
  maxCycles?: number | null
  allowedCountries?: string[]
  /** As `perksFrom` reads them. */
  perks?: unknown
  /** What a product plan sells: the platform's products. */
  productIds?: string[]
}

/**
 * Creates a plan: first on the platform (an earlier try that failed in between is found again), then here. Refuses a name that is
 * in use and values out of range, naming the field.
 */
export async function createPlan(db: Database, storeId: number, connector: Connector, input: PlanInput): Promise<Plan> {
  const checked = await db.inStore(storeId, async (ctx) => {
    refuseOnHold(ctx)
    const terms = check(input, (await storeContext(ctx)).currency)
    if (await findPlanByName(ctx, terms.name)) throw nameTaken(terms.name)
    assertReadable(terms, await otherMainPlan(ctx, terms.type))
    return terms
  })
  const created = await connector.products.createPlan(
    platformTerms(checked),
    checked.type === 'product' ? checked.productIds : null
  )
  if (!created.ok) throw publishFailed(created.failure)
  const { productId, variantId, sellingPlanGroupId, sellingPlanId } = created.value
  if (checked.status === 'enabled') {
    await publishToChannels(db, storeId, connector, { name: checked.name, platformProductId: productId })
  }
  const plan = await db.inStore(storeId, async (ctx) =>
    insert(ctx, {
      ...checked,
      platformProductId: productId,
      platformVariantId: variantId,
      platformSellingPlanGroupId: sellingPlanGroupId,
      platformSellingPlanId: sellingPlanId
    })
  )
  if (plan.status === 'disabled') await publishPlan(connector, plan)
  return plan
}

async function insert(ctx: Ctx, plan: Parameters<typeof insertPlan>[1]): Promise<Plan> {
  const id = await insertPlan(ctx, plan)
  if (id === null) throw nameTaken(plan.name)
  await record(ctx, planChanged(id))
  return (await findPlan(ctx, id))!
}

function check(input: PlanInput, currency: string) {
  const { type } = input
  const name = nameFrom(input.name)
  const tierName = tierFrom(input.tier, { type, name })
  const priceMinor = amountFrom('price', input.price, currency)
  const perks = input.perks === undefined ? {} : perksFrom(input.perks, currency)
  const { storeCredit } = perks
  if (storeCredit && input.credit !== undefined) {
    throw invalidField('credit', 'is accepted only without perks.store_credit, which sets the same')
  }
  if (storeCredit && storeCredit.amountMinor === null) {
    throw invalidField('perks.store_credit.amount', 'is needed: an amount above 0 for each paid cycle')
  }
  return {
    name,
    type,
    tierName,
    status: input.status ?? 'enabled',
    priceMinor,
    currency,
    interval: input.interval,
    intervalCount: wholeFrom('interval_count', input.intervalCount, 1, 28),
    maxCycles: cyclesFrom(input.maxCycles ?? null),
    ...trialFrom(input, NO_TRIAL, priceMinor, currency),
    creditMinor: storeCredit ? (storeCredit.amountMinor ?? 0) : amountFrom('credit', input.credit ?? 0, currency),
    creditType: storeCredit?.type ?? ('storecredit' as const),
    allowedCountries: countriesFrom(input.allowedCountries ?? []),
    perks: perksOf(type, changedPerks({}, perks)),
    productIds: productsFrom(input.productIds, type)
  }
}
