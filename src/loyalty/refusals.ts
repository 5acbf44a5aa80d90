import { Refusal } from '#kit/refusal'

const noSuch = (what: string) => (id: number | string) =>
  new Refusal('not_found', `There is no ${what} ${String(id).slice(0, 100)}`)

export const loyaltyRuleNotFound = noSuch('loyalty rule')
/** The spec has 404 for a rule that is not the one that is meant. */
export const noSocialRule = (id: number) => new Refusal('not_found', `Loyalty rule ${id} is not of the type social`)
export const loyaltyTierNotFound = noSuch('loyalty tier')
export const loyaltyTemplateNotFound = noSuch('coupon template')

export const tooManyRules = (max: number) =>
  new Refusal('conflict', `A store has at most ${max} loyalty rules: archive one first`)

export const tooManyTiers = (max: number) =>
  new Refusal('conflict', `A store has at most ${max} loyalty tiers: change one that is not needed any more`)

export const tooManyTemplates = (max: number) =>
  new Refusal('conflict', `A store has at most ${max} coupon templates: change one that is not needed any more`)

/** `why`: what the rule is or does. */
export const countsNothingNow = (id: number, why: string) => new Refusal('conflict', `Loyalty rule ${id} ${why}`)
export const couponNotFound = noSuch('coupon')
export const subscriptionRewardNotFound = noSuch('reward on renewals')

export const loyaltyIsOff = () => new Refusal('conflict', 'The shop has switched loyalty off')

export const templateNotActive = (name: string) =>
  new Refusal('conflict', `${name} cannot be had for points at present`)
