import type { Ctx } from '#kit/postgres'
import { settingsOf } from '#stores'
import { refreshContractDiscounts } from '../contract-discounts/refresh-contract-discounts.ts'
import { notEnforcedOnRenewals } from '../contract-discounts/wanted-contract-discounts.ts'
import type { Enforcement } from '../discount-slots.ts'
import { discountsNotKept } from '../refusals.ts'
import { discountSettings } from '../settings.ts'
import { askForDiscounts, type DiscountNode, findDiscountState, listDiscountNodes } from './discount-queries.ts'
import { mainTierPlans } from './plan-discounts.ts'
import { type NotEnforced, notEnforced } from './wanted-discounts.ts'

/** How members get their prices at the checkout, what of the perks they do not get, and the discounts that do it. */
export type DiscountsShown = {
  enforcedBy: Enforcement
  functionHandle: string
  nodes: DiscountNode[]
  notEnforced: Omit<NotEnforced, 'isGeneral'>[]
  comparedAt: Temporal.Instant | null
  /** When that is done next (real time); null for a store whose discounts are not kept. */
  nextComparisonAt: Temporal.Instant | null
  lastError: string | null
  /** A comparison is asked for or under way, and has not failed. */
  isUnderWay: boolean
}

/** The discounts as they were last known to be; asks the platform nothing. */
export async function showDiscounts(ctx: Ctx): Promise<DiscountsShown> {
  const { enforcedBy, functionHandle } = await settingsOf(ctx, discountSettings)
  const state = await findDiscountState(ctx)
  const plans = await mainTierPlans(ctx)
  return {
    enforcedBy,
    functionHandle,
    nodes: await listDiscountNodes(ctx),
    notEnforced: [...notEnforced(enforcedBy, plans), ...notEnforcedOnRenewals(plans)],
    comparedAt: state?.finishedAt ?? null,
    nextComparisonAt: state?.nextAt ?? null,
    lastError: state?.lastError ?? null,
    isUnderWay: state !== null && state.lastError === null && (state.isAsked || state.isLeased)
  }
}

/** Has the discounts compared with the platform and corrected now, with those of members' product contracts. */
export async function syncDiscounts(ctx: Ctx): Promise<void> {
  await refreshContractDiscounts(ctx, { isComparing: true })
  if (!(await askForDiscounts(ctx))) throw discountsNotKept()
}
