import type { Edit, Saboteur } from './saboteur.ts'

/** With patient clients, since what a constraint refuses fails, and is repeated; so does what a busy machine refuses. */
const PATIENT = ['trials/run.ts', 'concurrent-deducts', '7', '--rounds', '3', '--patient']

const withoutLock: Edit = {
  file: 'src/credits/queries.ts',
  from: '     order by member_id for update`',
  to: '     order by member_id`'
}
const positionsRepeat: Edit = {
  file: 'migrations/0007-credits.sql',
  from: 'constraint credit_entries_by_position unique (store_id, member_id, position)',
  to: 'constraint credit_entries_by_position check (position > 0)'
}

/** What is reserved may be more than there is, on accounts and on lots. */
const reservedNotCovered: Edit[] = [
  {
    file: 'migrations/0035-credits-reservations.sql',
    from: 'check (reserved_minor >= 0 and reserved_minor <= balance_minor)',
    to: 'check (reserved_minor is not null)'
  },
  {
    file: 'migrations/0035-credits-reservations.sql',
    from: 'check (reserved_minor >= 0 and reserved_minor <= remaining_minor)',
    to: 'check (reserved_minor is not null)'
  }
]

/** A lot of which another request spends what this one holds may be left with nothing, or less. */
const lotsBelowZero: Edit = {
  file: 'migrations/0007-credits.sql',
  from: 'remaining_minor bigint not null check (remaining_minor > 0)',
  to: 'remaining_minor bigint not null'
}

/** A part of what goes wrong without the others is noticed where lots are spent; it does not hold alone. */
const lotsMayBeShort: Edit = {
  file: 'src/credits/plan-change.ts',
  from: 'if (wanted > 0) throw',
  to: 'if (wanted > Number.MAX_SAFE_INTEGER) throw'
}

export const concurrentDeductsSaboteurs: Record<string, Saboteur> = {
  'accounts of credit are not locked, two entries may have one position, and more may be reserved than there is': {
    trial: 'concurrent-deducts',
    run: PATIENT,
    trialThen: { failsWith: 'were carried out' },
    edits: [withoutLock, positionsRepeat, lotsMayBeShort, lotsBelowZero, ...reservedNotCovered]
  },
  'more may be reserved than there is; the lock holds': {
    trial: 'concurrent-deducts',
    run: PATIENT,
    trialThen: 'passes',
    edits: reservedNotCovered
  },
  'accounts of credit are not locked; the constraints hold': {
    trial: 'concurrent-deducts',
    run: PATIENT,
    trialThen: 'passes',
    edits: [withoutLock, lotsMayBeShort]
  },
  'two entries of credit may have one position; the lock holds': {
    trial: 'concurrent-deducts',
    run: PATIENT,
    trialThen: 'passes',
    edits: [positionsRepeat, lotsMayBeShort]
  }
}
