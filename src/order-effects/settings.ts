import { choice, defineSettings, setting } from '#kit/define-settings'

/** What follows from disputes. */
export const disputeSettings = defineSettings('disputes', {
  onLost: setting({
    accepts: choice('alert', 'cancel'),
    default: 'alert',
    flag: '--on-lost-dispute <what>',
    help: 'What follows when a dispute about an order of a membership is lost or accepted: an alert only, or the membership is cancelled besides.'
  })
})
