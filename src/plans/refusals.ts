import { publicId } from '#kit/ids'
import { invalidField, Refusal } from '#kit/refusal'
import type { PlatformFailure } from '#platform'
import type { Tier } from './pricing/index.ts'
import { TIER_NAMES } from './tier-plans.ts'

export const planNotFound = (id: number) => new Refusal('not_found', `There is no plan ${publicId('plan', id)}`)

export const nameTaken = (name: string) =>
  new Refusal('conflict', `There is already a plan named ${name}`, [
    { field: 'name', code: 'invalid', message: 'is the name of another plan' }
  ])

export const planBusy = (id: number) =>
  new Refusal('conflict', `Plan ${publicId('plan', id)} is being changed by another request; try again in a moment`)

export const sameTerms = (id: number) => {
  const message = 'must have a price, interval, interval_count or credit that differs from the present one'
  return new Refusal('invalid_request', `A new version of plan ${publicId('plan', id)} ${message}`, [
    { field: 'body', code: 'invalid', message }
  ])
}

export const versionUnderWay = (id: number) =>
  new Refusal(
    'conflict',
    `An earlier version of plan ${publicId('plan', id)} is still being brought to its subscriptions; try again when that is done`
  )

const MAIN_CADENCES = '1 to 28 weeks or months (7 days are a week, a year is 12 months)'

/** `reason` names the plan. */
export const notMainPlan = (tier: Tier, reason: string) =>
  invalidField(
    `main_plan.${tier}`,
    `must be an enabled ${TIER_NAMES[tier]} plan of this store that bills every ${MAIN_CADENCES}: ${reason}`
  )

export const mainPlanBillsOtherwise = (tier: Tier, every: string) =>
  invalidField(
    'interval',
    `must come to ${MAIN_CADENCES}, and is ${every}: the setting main_plan.${tier} names this plan`
  )

export const tooManyCollections = (tier: Tier, count: number, most: number) =>
  invalidField(
    `main_plan.${tier}`,
    `must be a plan with which the perks of both main plans come to at most ${most} collections in all: they would be ${count}`
  )

/** Why the platform refused a plan. Unknown products are an error of the request. */
export function publishFailed(failure: PlatformFailure): Refusal {
  if (failure.kind === 'rejected' && failure.field?.endsWith('productIds')) {
    return invalidField('product_ids', 'must be ids of products that the platform has', 'not_found')
  }
  return new Refusal('unavailable', `The platform did not accept the plan: ${failure.message}`)
}
