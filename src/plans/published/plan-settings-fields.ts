import {
  commaList,
  decimalText,
  flag,
  idText,
  integer,
  type JsonField,
  listOf,
  meaning,
  objectOf,
  oneOrEmpty,
  orEmpty,
  textLike,
  textOf,
  unused,
  type ValueOf,
  word
} from '#kit/json-fields'

const TEXT = 255
const MAX_IDS = 1000
const on = (what: string) => meaning(what, flag())
const amount = (what: string) => meaning(what, orEmpty(decimalText()))
const reductionType = (what: string) => meaning(what, orEmpty(word('percentage', 'fixed')))
const scope = (what: string) => meaning(what, orEmpty(word('all', 'collection', 'product')))
const ids = (what: string) => meaning(what, listOf(idText(), MAX_IDS))
const countries = (what: string) =>
  meaning(
    `${what}, with commas; "" is every country`,
    commaList(textLike('an ISO country code such as DE', /^[A-Z]{2}$/), 250)
  )

/** "", 0 or 1. */
const oneZeroOrEmpty: JsonField<boolean | null> = orEmpty(flag())

/** Discount steps: the highest that the quantity reaches replaces the discount. */
const step = objectOf({
  quantity: meaning('From how many pieces on', integer(1, 1000)),
  value: meaning('What is taken off', decimalText()),
  type: meaning('How', word('percentage', 'fixed'))
})

/** The 45 fields of a main plan (spec 3, svc_plan_settings). Amounts and percentages are decimal texts; `null` is written "". */
export const planSettingsField = objectOf({
  status: on('Whether the plan is enabled'),
  type: meaning('1 is VIP, 2 is Elite', integer(1, 2)),
  product_name: meaning('Name of the membership product, which is also the name of the plan', textOf(TEXT)),
  product_price: amount('Price of the membership'),
  product_gid: meaning("The platform's number of the product", orEmpty(idText())),
  product_variant_id: meaning("The platform's number of the variant", orEmpty(idText())),
  plan_id: meaning("The platform's number of the selling plan", orEmpty(idText())),
  plan_name: meaning('Name of the plan', textOf(TEXT)),
  tier_name: meaning('Name of the tier, also the label of discounts', textOf(TEXT)),
  i_name: meaning('Interval of billing', orEmpty(word('week', 'month'))),
  i_count: meaning('How many of them, 1 to 28', orEmpty(integer(1, 28))),
  scripts_on: meaning('1 while a function of the platform takes the VIP discount off', oneOrEmpty()),
  scripts_st_on: meaning(
    '1 while a function of the platform is to redeem the store credit of the plan (`store_credit_type` `function`); whether one runs is not known here',
    oneZeroOrEmpty
  ),
  function_on: meaning('1 while the discount function is active', oneOrEmpty()),
  checkout_ui: meaning('Not used', unused()),
  otp_enabled: meaning('Not used: see svc_otp', unused()),
  allowed_countries: countries('Countries in which the plan is sold'),
  dp: on('Members pay less for products'),
  dv: amount('How much less'),
  dt: reductionType('How it is reduced'),
  dat: scope('What is reduced'),
  dproduct: ids('Numbers of the products, where dat is product'),
  dcollection: ids('Numbers of the collections, where dat is collection'),
  ds: on('More pieces are reduced by more'),
  ds_info: meaning('The steps; the highest that is reached counts', listOf(step, 20)),
  dct: meaning('1: from the compare-at price; 2: from the price', orEmpty(integer(1, 2))),
  stack_with_subs: on('The discount also applies to recurring charges of product subscriptions'),
  store_credit: on('Each paid cycle gives store credit'),
  store_credit_type: meaning('How it is spent', orEmpty(word('coupon', 'function', 'storecredit', 'giftcard'))),
  wo: on('The cheapest product of the first membership order costs less'),
  wo_v: amount('How much less'),
  wo_t: reductionType('How it is reduced'),
  wo_at: scope('What is reduced'),
  wo_product: ids('Numbers of the products, where wo_at is product'),
  wo_collection: ids('Numbers of the collections, where wo_at is collection'),
  ft: on('There is a trial'),
  ft_price: amount('Price of the trial'),
  ft_type: meaning('1: until the next billing date; 2: for ft_duration days', orEmpty(integer(1, 2))),
  ft_duration: meaning('Days of the trial, where ft_type is 2', orEmpty(integer(1, 3660))),
  fs: on('Shipping is free'),
  fs_country: countries('To where'),
  fs_message: meaning('What the customer reads', textOf(TEXT)),
  fs_method_name: meaning('The shipping method; "" is every one', textOf(TEXT)),
  fs_threshold_type: meaning('What a cart has to reach', word('0', 'items', 'subtotal')),
  fs_threshold_value: amount('How many items, or which subtotal')
})

export type PublishedSettings = ValueOf<typeof planSettingsField>
