import type { Ctx } from '#kit/postgres'
import { findMainPlans, listPlans, tierPlansOf } from '#plans'
import { settingsOf, storeContext } from '#stores'
import { notEnforcedOnRenewals } from '../contract-discounts/wanted-contract-discounts.ts'
import { discountSettings } from '../settings.ts'
import { listDiscountNodes, listSegments } from './discount-queries.ts'
import { type MainPlans, notEnforced, wantedDiscounts } from './wanted-discounts.ts'

export type DiscountPlan = Awaited<ReturnType<typeof planDiscounts>>

/** What a store's discounts are to be, and what is known of them. */
export async function planDiscounts(ctx: Ctx) {
  const { enforcedBy, functionHandle } = await settingsOf(ctx, discountSettings)
  const plans = await mainTierPlans(ctx)
  const { currency } = await storeContext(ctx)
  return {
    functionHandle,
    plans,
    currency,
    now: ctx.now,
    wanted: wantedDiscounts(enforcedBy, plans),
    nodes: await listDiscountNodes(ctx),
    segments: await listSegments(ctx),
    // What all native discounts lack is in the docs; here is what this store's plans have and its members do not get.
    notEnforced: [
      ...(enforcedBy === 'native' ? notEnforced(enforcedBy, plans).filter(({ isGeneral }) => !isGeneral) : []),
      ...notEnforcedOnRenewals(plans)
    ].map(({ tier, field, message }) => ({ subject: `${tier} ${field}`, message }))
  }
}

/** The main plans of a store as prices see them. */
export async function mainTierPlans(ctx: Ctx): Promise<MainPlans> {
  return tierPlansOf(await findMainPlans(ctx, await listPlans(ctx)))
}
