import { choice, defineSettings, setting } from '#kit/define-settings'

/** Settings of the schedule. They are called `billing` because that is their name in the API. */
export const scheduleSettings = defineSettings('billing', {
  catchUp: setting({
    accepts: choice('latest', 'all'),
    default: 'latest',
    flag: '--catch-up <which>',
    help:
      'Which of several cycles that were missed while the service was down are billed; `all` charges them one after the ' +
      'other, at once. The same holds for cycles that went by while a declined one waited for a payment method: the ' +
      'declined one is charged first, and once it is paid the `latest` of them, so two charges at most, or `all`.'
  })
})

/** What becomes of a member's store credit when the membership is cancelled. */
export const creditOnCancellationSettings = defineSettings(
  'creditOnCancellation',
  setting({
    accepts: choice('keep', 'forfeit'),
    default: 'keep',
    flag: '--credit-on-cancellation <what>',
    help: "What becomes of a member's store credit when the last membership is cancelled or fails; one that expires keeps it. What a checkout has reserved is forfeited when it gives it back. A reactivation, also of another membership that had ended before, gives back what was forfeited, less what refunds and disputes since then could not take."
  })
)
