import {
  amountNumber,
  dateText,
  decimalText,
  globalId,
  idInteger,
  integer,
  listOf,
  meaning,
  objectOf,
  orEmpty,
  orNull,
  textLike,
  textOf,
  upperWord,
  type ValueOf,
  variants,
  word
} from '#kit/json-fields'

const offerId = meaning('Id of the offer', textOf(50, 1))

/** An offer that was accepted (spec 3, offers). Its `type` says which fields it has. */
const offer = variants('type', {
  discount_price: objectOf({
    offer_id: offerId,
    discount_value: meaning('What is taken off', amountNumber()),
    discount_type: meaning('How', word('fixed_amount', 'percentage')),
    recurring_cycle_limit: meaning('For how many cycles; null for all', orNull(integer(1, 1000)))
  }),
  change_frequency: objectOf({
    offer_id: offerId,
    interval: meaning('How often it is billed', word('year', 'week', 'month', 'day')),
    interval_count: meaning('How many of them', integer(1, 1000))
  }),
  add_store_credits: objectOf({
    offer_id: offerId,
    credit_amount: meaning('How much store credit it gave', amountNumber())
  })
})

/** A date of the shop's zone, or "". */
const day = (what: string) => meaning(what, orEmpty(dateText()))
const contractId = meaning("The platform's number of the contract", idInteger())
const status = meaning('ACTIVE, PAUSED, CANCELLED, FAILED or EXPIRED', upperWord())

/** What both subscription keys of a customer hold. */
export const subscriptionField = objectOf({
  name: meaning('Name of the subscription', textOf(255)),
  status,
  member_since: day('When the membership began'),
  next_billing: day('The next billing date; "" where there is none'),
  scid: contractId,
  price: meaning('What a cycle costs, without an offer', decimalText()),
  currency: meaning('Its currency', textLike('a currency code such as USD', /^[A-Z]{3}$/)),
  offers: meaning('The offers that apply', listOf(offer, 50))
})
export type CustomerSubscription = ValueOf<typeof subscriptionField>

/** The other side of a gift. */
export const person = objectOf({
  id: meaning('Global id of the customer', globalId('Customer')),
  email: meaning('E-mail address; "" where it is not known', textOf(320)),
  name: meaning('Name; "" where it is not known', textOf(520))
})

/** A membership that was given to somebody. */
export const gift = objectOf({
  customer: meaning('Who has it', person),
  subscription: objectOf({
    name: meaning('Name of the subscription', textOf(255)),
    status,
    member_since: day('When the membership began'),
    next_billing: day('The next billing date; "" where there is none'),
    scid: contractId
  })
})
