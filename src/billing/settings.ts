import { choice, defineSettings, type SettingsOf, setting, wholeNumberOrNull, wholeNumbers } from '#kit/settings'

/** Settings of dunning: the retries of declined charges and what follows the last one. */
export const dunningSettings = defineSettings('dunning', {
  retryAfterDays: setting({
    accepts: wholeNumbers('days', { from: 1, to: 60, atMost: 10 }),
    default: [2, 5, 7, 7],
    flag: '--retry-after-days <list>',
    help: "Days from each soft decline to the next retry, on the shop's calendar."
  }),
  onFailure: setting({
    accepts: choice('cancel', 'pause', 'fail'),
    default: 'cancel',
    flag: '--on-failure <what>',
    help: 'What happens to the subscription after the last retry.'
  }),
  hardDeclineWaitDays: setting({
    accepts: wholeNumberOrNull('days', 1, 365),
    // As long as the default schedule of retries.
    default: 21,
    flag: '--hard-decline-wait-days <days>',
    help: 'How long a charge waits for a new payment method after a hard decline before `on_failure` follows; null for ever.'
  }),
  inventory: {
    retryAfterDays: setting({
      accepts: wholeNumbers('days', { from: 1, to: 60, atMost: 10 }),
      default: [1, 1, 2, 3, 7],
      flag: '--inventory-retry-after-days <list>',
      help: 'The same for charges that fail because items are out of stock; those failures are counted separately.'
    }),
    onFailure: setting({
      accepts: choice('skip', 'pause', 'cancel', 'fail'),
      default: 'skip',
      flag: '--inventory-on-failure <what>',
      help: 'What follows the last of those; `skip` skips the cycle.'
    })
  }
})

export type DunningSettings = SettingsOf<typeof dunningSettings.shape>

/** Retries of declined charges, and what follows the last one. */
export type RetrySchedule = Pick<DunningSettings | DunningSettings['inventory'], 'retryAfterDays' | 'onFailure'>

/** Settings of payments that their customer has to confirm. */
export const actionRequiredSettings = defineSettings('actionRequired', {
  remindAfterHours: setting({
    accepts: wholeNumbers('hours', { from: 1, to: 168, atMost: 5, isRising: true }),
    default: [24, 72],
    flag: '--remind-after-hours <list>',
    help: 'Hours after a customer was asked to confirm a payment at which they are reminded; an empty list for never.'
  })
})
