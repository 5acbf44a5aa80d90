import type { Edit, Saboteur } from './saboteur.ts'

const run = ['test/run.ts', 'src/credits/ledger-model.test.ts']

const repetitionsNotSeen: Edit = {
  file: 'src/credits/change-credits.ts',
  from: 'if (before) return',
  to: 'if (before && planned.includes(before as NewEntry)) return'
}
const operationsRepeat: Edit = {
  file: 'migrations/0007-credits.sql',
  from: '  unique (store_id, operation_id),\n',
  to: ''
}
const dueIsAvailable: Edit = {
  file: 'src/credits/plan-change.ts',
  from: 'return Math.max(0, balanceMinor - dueMinor)',
  to: 'return Math.max(0, balanceMinor + dueMinor * 0)'
}
const lotsMayBeShort: Edit = {
  file: 'src/credits/plan-change.ts',
  from: 'if (wanted > 0) throw',
  to: 'if (wanted > Number.MAX_SAFE_INTEGER) throw'
}
const pointsNotSeen: Edit = {
  file: 'src/points/adjust-points.ts',
  from: '|| done.has(operationId)) return []',
  to: '|| (done.has(operationId) && operationId === reason)) return []'
}
const pointsRepeat: Edit = {
  file: 'migrations/0008-points.sql',
  from: '  unique (store_id, operation_id),\n',
  to: ''
}

export const ledgerModelSaboteurs: Record<string, Saboteur> = {
  'a change of credit that is requested again is booked again': {
    trial: 'ledger-model',
    run,
    trialThen: { failsWith: 'strictly deep-equal' },
    edits: [repetitionsNotSeen, operationsRepeat]
  },
  'a change of credit that is requested again is not looked for; the constraint refuses it, and so the whole call': {
    trial: 'ledger-model',
    run,
    trialThen: { failsWith: 'credit_entries_store_id_operation_id_key' },
    edits: [repetitionsNotSeen]
  },
  'two entries of credit may have one operation; that it is looked for holds': {
    trial: 'ledger-model',
    run,
    trialThen: 'passes',
    edits: [operationsRepeat]
  },
  'what was added first is spent first': {
    trial: 'ledger-model',
    run,
    trialThen: { failsWith: 'strictly deep-equal' },
    edits: [
      {
        file: 'src/credits/queries.ts',
        from: 'order by l.expires_at, l.entry_id limit m.most) lot on true\n     order by m.id, lot.expires_at, lot.entry_id',
        to: 'order by l.expires_at, l.entry_id limit m.most) lot on true\n     order by m.id, lot.entry_id'
      }
    ]
  },
  'credit past its date can be spent until it is expired': {
    trial: 'ledger-model',
    run,
    trialThen: { failsWith: 'strictly deep-equal' },
    edits: [dueIsAvailable, lotsMayBeShort]
  },
  'credit past its date counts as available; that no lot has it refuses the whole call': {
    trial: 'ledger-model',
    run,
    trialThen: { failsWith: 'short of the balance' },
    edits: [dueIsAvailable]
  },
  'more can be spent than the lots have; that credit past its date is not available holds': {
    trial: 'ledger-model',
    run,
    trialThen: 'passes',
    edits: [lotsMayBeShort]
  },
  'points that are set again under their operation are set again': {
    trial: 'ledger-model',
    run,
    trialThen: { failsWith: 'strictly deep-equal' },
    edits: [pointsNotSeen, pointsRepeat]
  },
  'points that are set again are not looked for; the constraint refuses them, and so the whole call': {
    trial: 'ledger-model',
    run,
    trialThen: { failsWith: 'points_entries_store_id_operation_id_key' },
    edits: [pointsNotSeen]
  },
  'two entries of points may have one operation; that it is looked for holds': {
    trial: 'ledger-model',
    run,
    trialThen: 'passes',
    edits: [pointsRepeat]
  }
}
