import type { Edit, Saboteur } from './saboteur.ts'

const run = ['test/run.ts', 'src/credits/ledger-model.test.ts']
/** For what only longer series come upon. */
const longer = ['trials/run.ts', 'ledger-model', '7', '1', '--rounds', '300']

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
  from: 'const available = availableOf(draft)',
  to: 'const available = draft.balanceMinor - draft.reservedMinor'
}
const reservedIsAvailable: Edit = {
  file: 'src/credits/plan-change.ts',
  from: 'const available = availableOf(draft)',
  to: 'const available = draft.balanceMinor - draft.dueMinor'
}
const heldIsFree: Edit[] = [
  {
    file: 'src/credits/plan-change.ts',
    from: 'isOver(lot, now) ? 0 : lot.remainingMinor - lot.reservedMinor',
    to: 'isOver(lot, now) ? 0 : lot.remainingMinor'
  },
  {
    file: 'src/credits/queries.ts',
    from: '\n           and l.remaining_minor > l.reserved_minor\n         order by l.expires_at, l.entry_id',
    to: '\n         order by l.expires_at, l.entry_id'
  }
]
const lotsMayBeShort: Edit = {
  file: 'src/credits/plan-change.ts',
  from: 'if (wanted > 0) throw',
  to: 'if (wanted > Number.MAX_SAFE_INTEGER) throw'
}
const readByAge: Edit = {
  file: 'src/credits/queries.ts',
  from: 'order by l.expires_at, l.entry_id limit m.most) lot on true\n     order by m.id, lot.expires_at, lot.entry_id',
  to: 'order by l.expires_at, l.entry_id limit m.most) lot on true\n     order by m.id, lot.entry_id'
}
const keptAsRead: Edit = {
  file: 'src/credits/plan-change.ts',
  from: 'const later = lots.findIndex((other) => inOrder(other, lot) > 0)',
  to: 'const later = lots.findIndex((other) => inOrder(other, lot) > 1)'
}
const pointsNotSeen: Edit = {
  file: 'src/points/adjust-points.ts',
  from: 'if (done.has(adjustment.operationId)) continue',
  to: 'if (adjustment.memberId < 0) continue'
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
    edits: [readByAge, keptAsRead]
  },
  'lots are read in the order of adding; that they are put in order holds': {
    trial: 'ledger-model',
    run,
    trialThen: 'passes',
    edits: [readByAge]
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
  'reserved credit counts as available; that no lot has it free refuses the whole call': {
    trial: 'ledger-model',
    run: longer,
    trialThen: { failsWith: 'short of the balance' },
    edits: [reservedIsAvailable]
  },
  'reserved credit counts as available and its lots as free; the constraints refuse the whole call': {
    trial: 'ledger-model',
    run: longer,
    trialThen: { failsWith: 'cover_reserved' },
    edits: [reservedIsAvailable, ...heldIsFree]
  },
  'credit that is held past its date expires': {
    trial: 'ledger-model',
    run: longer,
    trialThen: { failsWith: 'Counterexample' },
    edits: [
      {
        file: 'src/credits/plan-change.ts',
        from: 'const minor = lot.remainingMinor - lot.reservedMinor',
        to: 'const minor = lot.remainingMinor'
      },
      {
        file: 'src/credits/plan-change.ts',
        from: 'lot.remainingMinor = lot.reservedMinor',
        to: 'lot.remainingMinor = 0'
      }
    ]
  },
  'a restored redemption becomes new credit without the dates that it had': {
    trial: 'ledger-model',
    run: longer,
    trialThen: { failsWith: 'strictly deep-equal' },
    edits: [
      {
        file: 'src/credits/restore-credit.ts',
        from: 'if (lot?.memberId === memberId && !isOver) returns.push',
        to: 'if (lot?.memberId === -memberId && !isOver) returns.push'
      }
    ]
  },
  'a redemption is restored again and again': {
    trial: 'ledger-model',
    run: longer,
    trialThen: { failsWith: 'strictly equal' },
    edits: [
      {
        file: 'src/credits/restore-credit.ts',
        from: 'const left = deduction.deductedMinor - deduction.restoredMinor',
        to: 'const left = deduction.deductedMinor'
      }
    ]
  },
  'each refund takes back its share of all that an order has issued, whatever was taken before': {
    trial: 'ledger-model',
    run: longer,
    trialThen: { failsWith: 'Counterexample' },
    edits: [
      {
        file: 'src/credits/plan-take-back.ts',
        from: 'asked: refund - was.refund,',
        to: 'asked: refund - was.refund * 0,'
      }
    ]
  },
  'what a reservation gives back is available, also where a refund was short of it': {
    trial: 'ledger-model',
    run: longer,
    trialThen: { failsWith: 'strictly deep-equal' },
    edits: [
      {
        file: 'src/credits/plan-reservation.ts',
        from: 'if (id === null || !missing.heldBy.includes(id)) continue',
        to: 'if (id === null || missing.heldBy.includes(id)) continue'
      }
    ]
  },
  'what any reservation gives back is taken, also one that was opened after the refund': {
    trial: 'ledger-model',
    run: longer,
    trialThen: { failsWith: 'strictly deep-equal' },
    edits: [
      {
        file: 'src/credits/plan-reservation.ts',
        from: 'if (id === null || !missing.heldBy.includes(id)) continue',
        to: 'if (id === null) continue'
      }
    ]
  },
  'a refund asks again for what the dispute before it could not take': {
    trial: 'ledger-model',
    run: longer,
    trialThen: { failsWith: 'Counterexample' },
    edits: [
      {
        file: 'src/credits/plan-take-back.ts',
        from: 'sum + one.taken + one.shortfall : sum), 0)',
        to: 'sum + one.taken : sum), 0)'
      }
    ]
  },
  'what is taken back comes from the lots that expire first, not from that of the order': {
    trial: 'ledger-model',
    run: longer,
    trialThen: { failsWith: 'strictly deep-equal' },
    edits: [
      {
        file: 'src/credits/plan-change.ts',
        from: 'if (lot.entryId === first) take(lot)',
        to: 'if (lot.entryId === -first) take(lot)'
      }
    ]
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
