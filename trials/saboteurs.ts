/** `from` occurs once in `file` and is replaced by `to`. */
export type Edit = { file: string; from: string; to: string }

/**
 * A fault that is put into the code to see that a trial notices it. `trial`, `seed` and `options` are the run that has to fail then:
 * the smallest that is known to.
 */
export type Saboteur = { trial: string; seed: number; options?: string; edits: Edit[] }

/** With a third of the kills the first saboteur is missed at times. */
const KILLS = '--size 300 --kills 40'
const SUBMIT = 'src/billing/charging/submit-attempts.ts'

/** The saboteurs by name, which says what the broken code does. Where two safeguards hold one rule, both are broken. */
export const SABOTEURS: Record<string, Saboteur> = {
  'a call that may have arrived is repeated without a search for its attempt': {
    trial: 'kill-renewals',
    seed: 7,
    options: KILLS,
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
    seed: 7,
    options: KILLS,
    edits: [
      {
        file: SUBMIT,
        from: '      idempotencyKey: a.idempotencyKey,\n      originTime',
        to: '      idempotencyKey: a.idempotencyKey + a.checks,\n      originTime'
      }
    ]
  },
  'a retry is sent without asking after the earlier attempts': {
    trial: 'kill-renewals',
    seed: 7,
    options: KILLS,
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
  'the position moves on before its facts are handled': {
    trial: 'two-nodes',
    seed: 11,
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
    seed: 11,
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
    seed: 7,
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
    seed: 7,
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
    seed: 7,
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
    seed: 7,
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
    seed: 7,
    edits: [{ file: 'trials/failover.ts', from: 'isSynchronous: true }', to: 'isSynchronous: false }' }]
  }
}
