/** What the forms of the settings are about. */
export const FORMS_EN = {
  dunning: {
    title: 'After a declined charge',
    text: 'A card that is declined may work later, so the charge is tried again. A change holds for charges that fail from now on; tries that are planned keep their dates.'
  },
  inventory: {
    title: 'Out of stock',
    text: 'Charges that fail because something is out of stock are counted on their own.'
  },
  confirm: {
    title: 'Payments that the customer must confirm',
    text: 'The bank sometimes asks the customer to confirm a payment. Whoever has not done so is reminded.'
  },
  missed: {
    title: 'Missed cycles',
    text: 'What is charged when several cycles went by while the service was down, or while a charge waited for a new card.'
  },
  actions: {
    title: 'What customers may do themselves',
    text: 'On the membership page of the shop. Cancelling is always possible.'
  },
  cancellation: {
    title: 'After a cancellation',
    text: 'How long a customer can take it back, and what becomes of the store credit.'
  },
  disputes: {
    title: 'Disputes',
    text: 'A customer has asked the bank to return a payment of a membership, and the bank did so.'
  },
  points: { title: 'Points', text: 'Whether customers earn and spend points, and for how long.' },
  tiers: { title: 'Tiers', text: 'Customers who buy more reach a higher tier, which may multiply their points.' },
  rewards: { title: 'Coupons and receipts', text: 'How long they are good, and how long they are kept.' },
  main: {
    title: 'Main plans',
    text: 'Where a store has several plans of one type, everybody of that type gets the perks of the main one, and the storefront shows it.'
  },
  checkout: {
    title: 'Prices of members at the checkout',
    text: 'How members get the prices and the free shipping of their plan.'
  },
  creditTitle: {
    title: 'Store credit at the checkout',
    text: 'Where a plan takes credit off an order by the discount function.'
  },
  brand: { title: 'Brand', text: 'For shops that sell several brands: which one an order belongs to.' },
  pass: {
    title: 'Wallet passes',
    text: 'The membership card in the phone. Passes follow with their next change, or at once by “Bring all up to date”.'
  }
}

const ENDS = {
  cancel: 'The membership is cancelled',
  pause: 'The membership is paused',
  fail: 'The membership has failed'
}
const DAYS = 'Days, with commas between.'
const NONE = 'Empty for no limit.'

/** The settings of a store in words. */
export const SETTINGS_EN = {
  'dunning.retry_after_days': {
    label: 'Days until the next try',
    help: `From each decline to the next try, on the calendar of the shop. ${DAYS} Up to ten.`
  },
  'dunning.on_failure': { label: 'After the last try', options: ENDS },
  'dunning.hard_decline_wait_days': {
    label: 'Days to wait for a new card',
    help: `A card that has expired or was revoked is not tried again. ${NONE}`
  },
  'dunning.inventory.retry_after_days': { label: 'Days until the next try', help: `${DAYS} Up to ten.` },
  'dunning.inventory.on_failure': {
    label: 'After the last try',
    options: { skip: 'This cycle is skipped', ...ENDS }
  },
  'action_required.remind_after_hours': {
    label: 'Hours until each reminder',
    help: 'Counted from when the customer was asked, each above the one before, with commas between. Empty for never.'
  },
  'billing.catch_up': {
    label: 'Charge',
    options: { latest: 'Only the latest of them', all: 'All of them, one after the other' }
  },
  'customers.may_pause': { label: 'Pause and resume', help: 'What they have paused they can resume.' },
  'customers.may_skip': { label: 'Skip the next payment' },
  reactivation_grace_hours: {
    label: 'Hours to take a cancellation back',
    help: 'From 0, which is not at all, to 720.'
  },
  credit_on_cancellation: {
    label: 'Store credit when the last membership ends',
    help: 'A reactivation gives back what was forfeited. Whoever’s membership expires keeps it.',
    options: { keep: 'The customer keeps it', forfeit: 'It is forfeited' }
  },
  'disputes.on_lost': {
    label: 'When a dispute is lost or accepted',
    options: { alert: 'Only an alert', cancel: 'An alert, and the membership is cancelled' }
  },
  'loyalty.enabled': {
    label: 'Points are earned and spent',
    help: 'Turned off, balances, rules and tiers stay as they are.'
  },
  'loyalty.hold_days': {
    label: 'Days until the points of an order can be spent',
    help: 'From 0 to 365, so that a quick refund never pays.'
  },
  'loyalty.points_expire_after_days': { label: 'Days until points expire', help: NONE },
  'loyalty.tiers': { label: 'There are tiers', help: 'Turned off, nobody moves and points are not multiplied.' },
  'loyalty.tier_review': {
    label: 'The year that decides a tier',
    options: { rolling_year: 'The last 365 days', calendar_year: 'The calendar year' }
  },
  'loyalty.coupons_expire_after_days': {
    label: 'Days until the coupon of a reward expires',
    help: `Coupons that points buy have their own. ${NONE}`
  },
  'loyalty.receipt_file_days': {
    label: 'Days that the file of a receipt is kept',
    help: `After its decision. ${NONE}`
  },
  'main_plan.vip': { label: 'Main VIP plan' },
  'main_plan.elite': { label: 'Main Elite plan' },
  'discounts.enforced_by': {
    label: 'Members get them by',
    options: {
      off: 'Nothing: the service keeps no discount',
      native: 'Automatic discounts of the platform, for customers with the tag of a membership',
      function: 'The discount function of the app, which gives every perk'
    }
  },
  'discounts.function_handle': {
    label: 'Handle of the discount function',
    help: 'As in shopify.extension.toml of the app. Needed for the discount function.'
  },
  'credit_function.title': { label: 'Title of the discount', help: 'As orders show it.' },
  'brand.attribute': { label: 'Attribute of an order that holds its brand' },
  'brand.default': { label: 'Brand of orders without it', help: 'For orders that are recorded from then on.' },
  'wallet.organization': { label: 'Name of the shop on the pass' },
  'wallet.background': {
    label: 'Colour',
    help: 'The text is white, or black on white.',
    options: { black: 'Black', white: 'White', blue: 'Blue', green: 'Green', red: 'Red', purple: 'Purple' }
  },
  'wallet.ended': {
    label: 'When the membership has ended',
    options: { void: 'The pass is marked as no longer valid', keep: 'The pass only shows the status' }
  }
}
