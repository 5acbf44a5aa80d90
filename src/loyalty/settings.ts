import { choice, defineSettings, setting, wholeNumber, wholeNumberOrNull } from '#kit/define-settings'

/** Whether there is loyalty, and when its points count. */
export const loyaltySettings = defineSettings('loyalty', {
  enabled: setting({
    accepts: choice('on', 'off'),
    default: 'on',
    flag: '--loyalty <on|off>',
    help: 'Whether customers earn and spend points by the [rules of loyalty](loyalty.md). `off` keeps balances, rules and tiers.'
  }),
  tiers: setting({
    accepts: choice('on', 'off'),
    default: 'on',
    flag: '--loyalty-tiers <on|off>',
    help: 'Whether there are [tiers of loyalty](loyalty.md#tiers). `off` keeps them as they are: nobody moves, and points are not multiplied.'
  }),
  holdDays: setting({
    accepts: wholeNumber('days', 0, 365),
    default: 0,
    flag: '--loyalty-hold-days <days>',
    help: 'For how many days after an order its points are pending, so that a quick refund never pays.'
  }),
  pointsExpireAfterDays: setting({
    accepts: wholeNumberOrNull('days', 1, 3660),
    default: null,
    flag: '--points-expire-after-days <days>',
    help: 'For how many days points can be spent after they were earned.'
  }),
  couponsExpireAfterDays: setting({
    accepts: wholeNumberOrNull('days', 1, 3660),
    default: null,
    flag: '--coupons-expire-after-days <days>',
    help: 'For how many days the [coupon](loyalty.md#coupons) of a reward can be used. A coupon that points buy has its own.'
  }),
  receiptFileDays: setting({
    accepts: wholeNumberOrNull('days', 1, 3660),
    default: 90,
    flag: '--receipt-file-days <days>',
    help: 'For how many days after its decision the file of a [receipt](loyalty.md#receipts) is kept.'
  }),
  tierReview: setting({
    accepts: choice('rolling_year', 'calendar_year'),
    default: 'rolling_year',
    flag: '--tier-review <period>',
    help: 'Which year decides the tier of a customer: the last 365 days, or the calendar year of the shop.'
  })
})
