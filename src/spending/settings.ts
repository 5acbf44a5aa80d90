import { defineSettings, setting, shortText } from '#kit/define-settings'

/** How the discount function that spends store credit is recognized. */
export const creditFunctionSettings = defineSettings('creditFunction', {
  title: setting({
    accepts: shortText(1, 255),
    default: 'Store credit',
    flag: '--credit-function-title <title>',
    help:
      'The title under which the discount function takes store credit off an order. It counts while a plan of the store has the store_credit_type ' +
      'function. A change applies to orders that are recorded from then on.'
  })
})
