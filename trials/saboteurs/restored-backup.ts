import { type Saboteur, slice } from './saboteur.ts'

const SLICE = slice('restored-backup-trial')

export const restoredBackupSaboteurs: Record<string, Saboteur> = {
  'a restored store is not held': {
    trial: 'restored-backup',
    run: SLICE,
    trialThen: { failsWith: 'has charged what was charged before' },
    edits: [
      {
        // Two safeguards hold its billing, and one statement sets both: for one store, and for all.
        file: 'src/stores/restored.ts',
        from: 'set restored_at = statement_timestamp(), catching_up = true, updated_at',
        to: 'set updated_at'
      },
      {
        file: 'src/stores/restored.ts',
        from: ', restored_at = statement_timestamp(), catching_up = true',
        to: ''
      }
    ]
  },
  'a hold is ignored by work under way': {
    trial: 'restored-backup',
    run: SLICE,
    trialThen: { failsWith: 'work under way has charged in a held store' },
    edits: [
      {
        file: 'src/billing/charging/claims.ts',
        from: 'boolean => !isRestored && isCaughtUp',
        to: 'boolean => true || isRestored || isCaughtUp'
      },
      {
        // What passes the claim would be stopped before it is sent.
        file: 'src/platform/wire/client.ts',
        from: '(await mayChange(access.storeId)) ? send()',
        to: 'true ? send()'
      }
    ]
  },
  'charges that only the platform knows are not taken over': {
    trial: 'restored-backup',
    run: SLICE,
    trialThen: { failsWith: 'paid charges that one side has alone' },
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
    run: SLICE,
    trialThen: { failsWith: 'contracts charged from' },
    edits: [
      {
        file: 'src/sync/reconciler/reconciliation.ts',
        from: "READ_AFTER_RESTORE: readonly ReconciliationKind[] = ['attempts', 'all_contracts', 'failed_attempts']",
        to: "READ_AFTER_RESTORE: readonly ReconciliationKind[] = ['all_contracts', 'attempts', 'failed_attempts']"
      }
    ]
  }
}
