import type { Edit, Saboteur } from './saboteur.ts'

const RUN = ['trials/run.ts', 'concurrent-deducts', '7', '--rounds', '3']
/** With patient clients, since what a constraint refuses fails, and is repeated. */
const PATIENT = [...RUN, '--patient']

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

/** A part of what goes wrong without the others is noticed where lots are spent; it does not hold alone. */
const lotsMayBeShort: Edit = {
  file: 'src/credits/plan-change.ts',
  from: 'if (wanted > 0) throw',
  to: 'if (wanted > Number.MAX_SAFE_INTEGER) throw'
}

export const concurrentDeductsSaboteurs: Record<string, Saboteur> = {
  'accounts of credit are not locked, and two entries may have one position': {
    trial: 'concurrent-deducts',
    run: RUN,
    trialThen: { failsWith: 'were carried out' },
    edits: [withoutLock, positionsRepeat, lotsMayBeShort]
  },
  'accounts of credit are not locked; the constraint holds': {
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
