/** `from` occurs once in `file` and is replaced by `to`. */
export type Edit = { file: string; from: string; to: string }

/** A fault that is put into the code to see that a trial notices it. */
export type Saboteur = {
  trial: string
  /** The smallest run of the trial that catches it: arguments of Node, a test of the suite where its slice is enough. */
  run: string[]
  /**
   * `fails`, unless one safeguard is broken of two that hold the same rule: then the trial `passes`, which shows that the other holds
   * alone. The saboteur that breaks both is beside it.
   */
  trialThen: 'fails' | 'passes'
  edits: Edit[]
}

const slice = (file: string) => ['test/run.ts', `test/${file}.test.ts`]

/** With a third of the kills the first saboteur is missed at times. */
const KILLS = ['trials/run.ts', 'kill-renewals', '7', '--size', '300', '--kills', '40']
const SUBMIT = 'src/billing/charging/submit-attempts.ts'

const retryWithoutLock: Edit[] = [
  {
    file: 'src/billing/charging/retry-attempt.ts',
    from: 'if (rival) throw cycleNotOpen(rival)',
    to: 'if (rival && !rival.id) throw cycleNotOpen(rival)'
  },
  {
    file: 'src/subscriptions/lock-subscriptions.ts',
    from: '{ids}::bigint[])\n     order by s.id for update of s',
    to: '{ids}::bigint[])\n     order by s.id'
  }
]
const manyOpenAttempts: Edit = {
  file: 'migrations/0010-billing.sql',
  from: 'create unique index billing_attempts_one_open_or_paid',
  to: 'create index billing_attempts_one_open_or_paid'
}

/** The saboteurs by name, which says what the broken code does. */
export const SABOTEURS: Record<string, Saboteur> = {
  'a call that may have arrived is repeated without a search for its attempt': {
    trial: 'kill-renewals',
    run: KILLS,
    trialThen: 'fails',
    edits: [
      {
        file: SUBMIT,
        from: '({ earlier, submittedBefore }: ClaimedAttempt) => earlier.length === 0 && submittedBefore === null',
        to: '({ earlier }: ClaimedAttempt) => earlier.length === 0'
      }
    ]
  },
  'an attempt has another key at each call': {
    trial: 'kill-renewals',
    run: KILLS,
    trialThen: 'fails',
    edits: [
      {
        file: SUBMIT,
        from: '      idempotencyKey: attempt.idempotencyKey,\n      originTime',
        to: '      idempotencyKey: attempt.idempotencyKey + attempt.checks,\n      originTime'
      }
    ]
  },
  'a retry is sent without asking after the earlier attempts': {
    trial: 'kill-renewals',
    run: KILLS,
    trialThen: 'fails',
    edits: [
      {
        file: 'src/billing/charging/check-prior-attempts.ts',
        from: "      const by = found.find(({ state }) => state === 'success')",
        to: '      const by = found.find(() => false)'
      },
      {
        file: 'src/billing/charging/check-prior-attempts.ts',
        from: "found.every(({ state }) => state === 'failed')",
        to: 'found.every(() => true)'
      }
    ]
  },
  'a charge without a response counts as declined': {
    trial: 'unknown-outcome',
    run: slice('unknown-outcome-trial'),
    trialThen: 'fails',
    edits: [
      {
        file: SUBMIT,
        from: 'refusedOutcome(attempt, failure, now) : checkLater(attempt, now)',
        to: "refusedOutcome(attempt, failure, now) : { result: { idempotencyKey: attempt.idempotencyKey, platformAttemptId: null, state: 'failed', errorCode: 'INSUFFICIENT_FUNDS', errorMessage: 'No response' } }"
      }
    ]
  },
  'a retry neither locks its subscription nor looks for a rival, and a cycle may have several open attempts': {
    trial: 'contention',
    run: slice('contention-trial'),
    trialThen: 'fails',
    edits: [...retryWithoutLock, manyOpenAttempts]
  },
  'a retry neither locks its subscription nor looks for a rival; the constraint holds': {
    trial: 'contention',
    run: slice('contention-trial'),
    trialThen: 'passes',
    edits: retryWithoutLock
  },
  'a cycle may have several open attempts; the lock and the look for a rival hold': {
    trial: 'contention',
    run: slice('contention-trial'),
    trialThen: 'passes',
    edits: [manyOpenAttempts]
  },
  'a delivery has another webhook_id in every process': {
    trial: 'kill-sender',
    run: slice('kill-sender'),
    trialThen: 'fails',
    edits: [
      {
        file: 'src/webhooks/signing/sign-delivery.ts',
        from: "    'webhook-id',\n    webhookId,",
        to: "    'webhook-id',\n    webhookId + process.pid,"
      }
    ]
  },
  'the position moves on before its facts are handled': {
    trial: 'two-nodes',
    run: ['trials/run.ts', 'two-nodes', '11'],
    trialThen: 'fails',
    edits: [
      {
        file: 'src/kit/outbox/consume-facts.ts',
        from: '      await handleInTime(ctx, consumer, free, { isRepeat: at.position < at.furthest })',
        to: '      setTimeout(() => db.inStore(storeId, (later) => consumer.handle(later, free, { isRepeat: false })), 200)'
      }
    ]
  },
  'a charge stays with the dead node that claimed it': {
    trial: 'two-nodes',
    run: ['trials/run.ts', 'two-nodes', '11'],
    trialThen: 'fails',
    edits: [
      {
        file: 'src/billing/charging/claims.ts',
        from: "leased_until = statement_timestamp() + interval '2 minutes', checks = a.checks + 1",
        to: "leased_until = statement_timestamp() + interval '100 years', checks = a.checks + 1"
      },
      {
        file: 'src/kit/engines/lease-owner.ts',
        from: 'if (dead.length === 0) return 0',
        to: 'if (dead.length >= 0) return 0'
      }
    ]
  },
  'a restored store is not held': {
    trial: 'restored-backup',
    run: ['trials/run.ts', 'restored-backup', '7'],
    trialThen: 'fails',
    edits: [
      {
        // Two safeguards hold its billing, and one statement sets both.
        file: 'src/stores/restored.ts',
        from: 'set restored_at = statement_timestamp(), catching_up = true, updated_at',
        to: 'set updated_at'
      }
    ]
  },
  'charges that only the platform knows are not taken over': {
    trial: 'restored-backup',
    run: ['trials/run.ts', 'restored-backup', '7'],
    trialThen: 'fails',
    edits: [
      {
        file: 'src/sync/reconciler/walk-attempts.ts',
        from: '  return db.inStore(storeId, (ctx) => adoptAttempts(ctx, unknown))',
        to: '  return Promise.resolve(adoptAttempts.length * 0)'
      }
    ]
  },
  'the contracts of a restored store are read before its charges': {
    trial: 'restored-backup',
    run: ['trials/run.ts', 'restored-backup', '7'],
    trialThen: 'fails',
    edits: [
      {
        file: 'src/sync/reconciler/reconciliation.ts',
        from: "READ_AFTER_RESTORE: readonly ReconciliationKind[] = ['attempts', 'all_contracts', 'failed_attempts']",
        to: "READ_AFTER_RESTORE: readonly ReconciliationKind[] = ['all_contracts', 'attempts', 'failed_attempts']"
      }
    ]
  },
  'a migration takes away what older nodes use': {
    trial: 'rolling-upgrade',
    run: ['trials/run.ts', 'rolling-upgrade', '7'],
    trialThen: 'fails',
    edits: [
      {
        file: 'migrations/0023-stores-restored.sql',
        from: 'insert into installation default values;',
        to: 'insert into installation default values; alter table webhook_endpoints rename description to about;'
      }
    ]
  },
  'the standby is not waited for': {
    trial: 'failover',
    run: ['trials/run.ts', 'failover', '7'],
    trialThen: 'fails',
    edits: [{ file: 'trials/failover.ts', from: 'isSynchronous: true }', to: 'isSynchronous: false }' }]
  },
  'an older state of a contract replaces a newer one': {
    trial: 'lost-messages',
    run: slice('lost-messages'),
    trialThen: 'fails',
    edits: [
      {
        file: 'src/contracts/update-from-contracts.ts',
        from: 'compareRevisions(contract.revision, subscription.platformRevision) >= 0)',
        to: 'compareRevisions(contract.revision, subscription.platformRevision) <= 0)'
      }
    ]
  },
  'the next date is counted in days': {
    trial: 'calendar',
    run: slice('calendar-trial'),
    trialThen: 'fails',
    edits: [
      {
        file: 'src/subscriptions/schedule/billing-dates.ts',
        from: '.add({ [UNIT[cadence.interval]]: steps })',
        to: ".add(cadence.interval === 'month' ? { days: 30 * steps } : { [UNIT[cadence.interval]]: steps })"
      }
    ]
  },
  'a string of a body may hold NUL': {
    trial: 'fuzz',
    run: slice('fuzz'),
    trialThen: 'fails',
    edits: [
      {
        file: 'src/http/server/strict-json.ts',
        from: "if (hasEscape && string.includes('\\0')) throw",
        to: "if (hasEscape && string.includes('\\0\\0\\0')) throw"
      }
    ]
  }
}
