import { choice, defineSettings, setting } from '#kit/define-settings'

/** Gifts that go with an order (spec 3, order_gift). */
export const orderGiftSettings = defineSettings('orderGift', {
  enabled: setting({
    accepts: choice('on', 'off'),
    default: 'off',
    flag: '--order-gift <on|off>',
    help: 'Whether an order whose attribute `mystery_gift` is true gets the tag `mystery_gift`. Orders that have it keep it when this is turned off; of older orders only those that change later get it.'
  })
})

/** What follows from disputes. */
export const disputeSettings = defineSettings('disputes', {
  onLost: setting({
    accepts: choice('alert', 'cancel'),
    default: 'alert',
    flag: '--on-lost-dispute <what>',
    help: 'What follows when a dispute about an order of a membership is lost or accepted: an alert only, or the membership is cancelled besides.'
  })
})
