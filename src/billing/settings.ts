import { choice, defineSettings, type SettingsOf, setting, wholeNumberOrNull, wholeNumbers } from '#kit/define-settings'
import {
  DEFAULT_HARD_DECLINE_WAIT_DAYS,
  DEFAULT_INVENTORY_RETRY_AFTER_DAYS,
  DEFAULT_RETRY_AFTER_DAYS
} from './dunning/retry-schedule.ts'

/** Settings of dunning: the retries of declined charges and what follows the last one. */
export const dunningSettings = defineSettings('dunning', {
  retryAfterDays: setting({
    accepts: wholeNumbers('days', { from: 1, to: 60, atMost: 10 }),
    default: DEFAULT_RETRY_AFTER_DAYS,
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
    default: DEFAULT_HARD_DECLINE_WAIT_DAYS,
    flag: '--hard-decline-wait-days <days>',
    help: 'How long a charge waits for a new payment method after a hard decline before `on_failure` follows; null for ever.'
  }),
  inventory: {
    retryAfterDays: setting({
      accepts: wholeNumbers('days', { from: 1, to: 60, atMost: 10 }),
      default: DEFAULT_INVENTORY_RETRY_AFTER_DAYS,
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

/** Settings of payments that their customer has to confirm. */
export const actionRequiredSettings = defineSettings('actionRequired', {
  remindAfterHours: setting({
    accepts: wholeNumbers('hours', { from: 1, to: 168, atMost: 5, isRising: true }),
    default: [24, 72],
    flag: '--remind-after-hours <list>',
    help: 'Hours after a customer was asked to confirm a payment at which they are reminded; an empty list for never.'
  })
})
