import { defineSettings, setting, wholeNumber } from '#kit/define-settings'

/** For how long a cancellation can be revoked. */
export const reactivationGraceSettings = defineSettings(
  'reactivationGraceHours',
  setting({
    accepts: wholeNumber('hours', 0, 720),
    default: 0,
    flag: '--reactivation-grace-hours <hours>',
    help: 'For how long a cancellation can be revoked; 0: not at all.'
  })
)
