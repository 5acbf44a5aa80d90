/**
 * What does not work, by kind, and what an operator does about it: the words of docs/operations.md. A `note` is worth knowing, and
 * is no problem.
 */
export const PROBLEM_KINDS = {
  database_unreachable: {
    severity: 'problem',
    help: 'The service runs and its database does not answer; nothing else is known then. It goes on by itself when it answers.'
  },
  database_reads_only: {
    severity: 'problem',
    help: 'The database answers and only reads: it is a standby, or was set to read only. Nothing is charged, sent or recorded.'
  },
  database_full: {
    severity: 'problem',
    help: 'The disk of the database is full, so that nothing is charged, sent or recorded. Make room: it goes on by itself.'
  },
  database_does_not_commit: {
    severity: 'problem',
    help: 'The database answers and commits nothing, so that nothing is charged, sent or recorded. Most often its only synchronous [standby](#standbys) is gone.'
  },
  database_does_not_write: {
    severity: 'problem',
    help: 'The database answers and refuses to write, for the reason that the message has.'
  },
  clock_apart: {
    severity: 'problem',
    help: "The clock of the node that was asked differs from the database's by more than 30 seconds: it signs no webhooks and is not ready. Other nodes say it in their log."
  },
  store_not_connected: {
    severity: 'problem',
    help: 'The creation of a store was not finished, because its platform did not answer or refused the token. Repeat it.'
  },
  store_disconnected: {
    severity: 'problem',
    help: 'A store is [disconnected](#disconnected-stores): nothing is billed. Connect it again, or delete it.'
  },
  token_refused: {
    severity: 'problem',
    help: "The platform [refuses the access token](#refused-access-tokens) of a store. Open the app in the shop's admin, or connect the store with a valid one; what waited is charged then."
  },
  scopes_missing: {
    severity: 'problem',
    help: "The app lacks [access scopes](#access-scopes) in a shop; `perennial platform show` says what has stopped. Open the app in the shop's admin, where the platform asks to grant them again."
  },
  endpoint_failing: {
    severity: 'problem',
    help: 'Every try to a receiver has failed since then. Look at its deliveries, and fix the receiver; deliveries are retried by themselves.'
  },
  endpoint_disabled: {
    severity: 'problem',
    help: 'A receiver failed for too long, or said that it is gone, and gets nothing any more. Enable it when it works; `resend-failed --missed` sends what failed and what occurred while it was disabled.'
  },
  dead_letters: {
    severity: 'problem',
    help: 'A part of the service failed on events in all tries and goes on without them. Remove the reason that the error names, then retry them.'
  },
  events_retried: {
    severity: 'problem',
    help: 'A part of the service (the consumer) fails on events, and tries them again. Later events about the same thing wait for them.'
  },
  job_failing: {
    severity: 'problem',
    help: 'A task for the platform fails, and is tried again; the message has the last error.'
  },
  reconciliation_failing: {
    severity: 'problem',
    help: 'A [reconciliation with the platform](#reconciliation) fails, and is tried again; the message has the last error.'
  },
  rewards_failing: {
    severity: 'problem',
    help: 'The service cannot pull the [balances of reward points](rewards.md#failures) of an integration, and tries it again; the message has the last error.'
  },
  metafields_differ: {
    severity: 'problem',
    help: 'The platform refuses [metafields](metafields.md), or does not take them after several tries, so that it shows old values; the message has one reason.'
  },
  tags_differ: {
    severity: 'problem',
    help: 'The same of [tags](tags.md).'
  },
  charges_held: {
    severity: 'problem',
    help: 'Charges wait for a person: `perennial doctor` names each, with what is wrong (`charges_held`).'
  },
  charges_pending: {
    severity: 'problem',
    help: 'Charges have been pending for more than a week: the platform never reported their outcome, or a customer never confirmed a payment (`outcomes_known` of the auditor).'
  },
  work_waiting: {
    severity: 'problem',
    help: 'Something has been due for more than a minute and is not done. The message says since when, and why if that is known.'
  },
  endpoint_off: {
    severity: 'note',
    help: 'Somebody disabled a receiver, and it gets nothing. `webhook enable` says what it missed, and how to send that.'
  },
  store_catching_up: {
    severity: 'note',
    help: 'A store was connected again, and is not billed until every contract on its platform has been read.'
  },
  store_on_hold: {
    severity: 'note',
    help: 'A store was restored from a backup and is [on hold](#after-a-restore) until its platform has been read: nothing is charged, pushed or sent.'
  },
  store_deleting: {
    severity: 'note',
    help: 'A store is being deleted.'
  }
} as const satisfies Record<string, { severity: 'problem' | 'note'; help: string }>

export type ProblemKind = keyof typeof PROBLEM_KINDS

/** Something that does not work. */
export type Problem = {
  kind: ProblemKind
  /** The store, by its domain; null for the whole installation. */
  store: string | null
  /** What it is about: an endpoint, an engine, a kind of job. Kind, store and subject name a problem. */
  subject: string
  /** In the store's time, where it has one; null when nobody knows. */
  since: Temporal.Instant | null
  /** A sentence, without the time. */
  message: string
  /** What to do: a sentence, or a command. */
  next: string
}

export const isNote = ({ kind }: Problem): boolean => PROBLEM_KINDS[kind].severity === 'note'

/** Names a problem, so that it is known again. */
export const keyOf = ({ kind, store, subject }: Problem): string => `${kind} ${store} ${subject}`
