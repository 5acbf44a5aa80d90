/** The words of `<perennial-cancel>`, in English. `docs/storefront.md` says where each is shown. */
export const ENGLISH = {
  button: 'Cancel membership',
  choose: 'Which membership?',
  reasons: 'Why are you leaving?',
  comment: 'Anything to add? (optional)',
  next: 'Continue',
  offers: 'Before you go',
  accept: 'Stay with this offer',
  confirm: 'Cancel your membership?',
  ending: 'It ends at once, and you are not charged again.',
  cancel: 'Cancel anyway',
  keep: 'Keep membership',
  back: 'Back',
  close: 'Close',
  loading: 'One moment…',
  waiting: 'Not cancelled yet',
  retrying:
    'The shop does not answer at the moment. Your choice is kept, and we try again by ourselves as long as this page is open.',
  again: 'Try again now',
  refused: 'Your membership is not cancelled',
  failed: 'The offer was not applied, and nothing has changed.',
  unknown: 'We could not see whether that worked. Load this page again later.',
  done: 'Your membership is cancelled',
  kept: 'Thank you for staying',
  applied: 'The offer is applied: {offer}',
  instead: '{new} instead of {old}',
  for: 'For {duration}',
  payment: 'Next payment: {date}',
  credit: '{amount} of store credit',
  none: 'You have no membership to cancel.'
} as const

export type TextKey = keyof typeof ENGLISH
