import { choice, defineSettings, setting, wholeNumber } from '#kit/define-settings'

/** For how long a cancellation can be revoked. */
export const reactivationGraceSettings = defineSettings(
  'reactivationGraceHours',
  setting({
    accepts: wholeNumber('hours', 0, 720),
    default: 24,
    flag: '--reactivation-grace-hours <hours>',
    help: 'For how long a cancellation can be revoked; 0: not at all.'
  })
)

/** What customers may do with their contracts on the storefront, beside cancelling. */
export const customerActionSettings = defineSettings('customers', {
  mayPause: setting({
    accepts: choice('on', 'off'),
    default: 'off',
    flag: '--customers-may-pause <on|off>',
    help: 'Whether customers may pause their contracts on the [storefront](storefront.md), and resume what they have paused.'
  }),
  maySkip: setting({
    accepts: choice('on', 'off'),
    default: 'off',
    flag: '--customers-may-skip <on|off>',
    help: 'Whether customers may skip their next payment on the [storefront](storefront.md).'
  })
})
