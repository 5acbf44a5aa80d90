/** The words of `<perennial-membership>` and `<perennial-join>`, in English. */
export const ENGLISH = {
  credit: 'Store credit',
  points: 'Points',
  price: 'Price',
  next: 'Next payment',
  resumes: 'Paused until',
  ended: 'Cancelled on',
  offer: 'Offer',
  instead: '{new} instead of {old}',
  active: 'Active',
  paused: 'Paused',
  cancelled: 'Cancelled',
  failed: 'Payment failed',
  expired: 'Ended',
  pause: 'Pause',
  days: 'Pause for',
  skip: 'Skip the next payment',
  resume: 'Resume',
  reactivate: 'Take the cancellation back',
  method: 'Payment method',
  loading: 'One moment…',
  away: 'The shop does not answer at the moment. We try again by ourselves as long as this page is open.',
  again: 'Try again now',
  unchanged: 'That did not work.',
  join: 'Join {name}'
} as const

export type TextKey = keyof typeof ENGLISH
