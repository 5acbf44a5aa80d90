import { type Money, moneyOf, readEntered } from '#kit/json-fields'
import type { Ctx } from '#kit/postgres'
import { type FieldProblem, invalidFields } from '#kit/refusal'
import { storeContext } from '#stores'
import { isReasonAlias, REASON_ALIASES, type ReasonAlias } from '../reasons/reasons.ts'
import { tooManyOffers } from '../refusals.ts'
import { type OfferTerms, offerRulesJson } from './offer.ts'
import { type OFFER_TARGETS, type OfferRules, type OfferType, offerRulesField } from './offer-fields.ts'
import {
  getOffer,
  insertOffer,
  lockOffer,
  lockOffers,
  type OfferToWrite,
  type OfferWithReasons,
  writeOffer
} from './offer-queries.ts'

/** A store has no more; those that are switched off count. */
export const MAX_OFFERS = 100

/** What an operator enters. What is `unknown` nobody has checked. */
export type OfferInput = {
  name: string
  description: string | null
  type: OfferType
  rules: unknown
  reasons: string[]
  /** Of a discount: null for its lines. */
  target: (typeof OFFER_TARGETS)[number] | null
  isOfEachItem: boolean
  minMemberDays: number
  minDaysSinceOffer: number
  isForTrials: boolean
  isOn: boolean
}

/** Creates an offer. Refuses what cannot be, with all problems. */
export async function createOffer(ctx: Ctx, input: OfferInput): Promise<OfferWithReasons> {
  if ((await lockOffers(ctx)) >= MAX_OFFERS) throw tooManyOffers(MAX_OFFERS)
  const { currency } = await storeContext(ctx)
  return getOffer(ctx, await insertOffer(ctx, checked(input, currency)))
}

/** Changes what is given; the rest stays. `rules` and `reasons` are given whole. What was accepted stays as it was. */
export async function updateOffer(ctx: Ctx, id: number, change: Partial<OfferInput>): Promise<OfferWithReasons> {
  const was = await lockOffer(ctx, id)
  const isOtherType = change.type !== undefined && change.type !== was.type
  const before: OfferInput = {
    ...was,
    rules: offerRulesJson(was),
    target: isOtherType || was.target === null ? null : TARGET_OF[was.target],
    isOfEachItem: !isOtherType && was.isOfEachItem
  }
  // Amounts that nobody entered now are still of the currency in which they were entered.
  const isOfBefore = change.rules === undefined && !isOtherType
  const currency = isOfBefore ? was.currency : (await storeContext(ctx)).currency
  await writeOffer(ctx, id, checked({ ...before, ...change }, currency))
  return getOffer(ctx, id)
}

const TARGET_OF = { line_item: 'LINE_ITEM', shipping_line: 'SHIPPING_LINE' } as const

/** An offer as it is written. Refuses with all problems. */
function checked(input: OfferInput, currency: string): OfferToWrite {
  const money = moneyOf(currency)
  const problems: FieldProblem[] = []
  const rules = readEntered(offerRulesField(input.type, money), input.rules, 'rules', problems)
  const reasons = readReasons(input.reasons, problems)
  if (problems.length === 0) checkTarget(input, rules, problems)
  if (problems.length > 0) throw invalidFields(problems)
  const { name, description, minMemberDays, minDaysSinceOffer, isForTrials, isOn } = input
  const terms = termsOf({ type: input.type, rules } as OfferRules, input, money, currency)
  return { name, description, ...terms, minMemberDays, minDaysSinceOffer, isForTrials, isOn, reasons }
}

function readReasons(given: string[], problems: FieldProblem[]): ReasonAlias[] {
  const all = [...new Set(given)]
  const unknown = all.filter((alias) => !isReasonAlias(alias)).map((alias) => JSON.stringify(alias.slice(0, 50)))
  if (unknown.length > 0 || all.length === 0) {
    const but = unknown.length > 0 ? `, not ${unknown.slice(0, 5).join(', ')}` : ''
    const message = `must be a list of at least one of ${REASON_ALIASES.join(', ')}${but}`
    problems.push({ field: 'reasons', code: 'invalid', message })
  }
  return all.filter(isReasonAlias)
}

/** The platform takes nothing but all of it off the delivery, and an amount off each piece of the lines. */
function checkTarget(
  { type, target, isOfEachItem }: OfferInput,
  rules: OfferRules['rules'],
  problems: FieldProblem[]
): void {
  const discount = 'discount_type' in rules ? rules : null
  const refuse = (field: string, message: string) => problems.push({ field, code: 'invalid', message })
  if (target !== null && !discount) refuse('target_type', `must be left out, since type is ${type}`)
  if (isOfEachItem && discount?.discount_type !== 'fixed_amount') {
    refuse('applies_on_each_item', 'must be false, or discount_type must be fixed_amount')
  }
  if (target !== 'SHIPPING_LINE' || !discount) return
  if (discount.discount_type !== 'percentage' || discount.discount_value !== 100) {
    refuse('rules.discount_value', 'must be 100 with discount_type percentage, since target_type is SHIPPING_LINE')
  }
}

function termsOf(
  { type, rules }: OfferRules,
  { target, isOfEachItem }: Pick<OfferInput, 'target' | 'isOfEachItem'>,
  money: Money,
  currency: string
): OfferTerms {
  const nothing = {
    ...{ type, currency, percent: null, amountMinor: null, cycles: null, target: null, isOfEachItem: false },
    ...{ interval: null, intervalCount: null, creditMinor: null }
  }
  switch (type) {
    case 'discount_price': {
      const { discount_type, discount_value: value, recurring_cycle_limit: cycles } = rules
      const off =
        discount_type === 'percentage' ? { percent: value } : { amountMinor: money.minor(value)!, isOfEachItem }
      return { ...nothing, ...off, cycles, target: target === 'SHIPPING_LINE' ? 'shipping_line' : 'line_item' }
    }
    case 'change_frequency':
      return { ...nothing, interval: rules.interval_name, intervalCount: rules.interval_count }
    case 'add_store_credits':
      return { ...nothing, creditMinor: rules.credit_amount }
  }
}
