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

export const concurrentDeductsSaboteurs: Record<string, Saboteur> = {
  'accounts of credit are not locked, and two entries may have one position': {
    trial: 'concurrent-deducts',
    run: RUN,
    trialThen: { failsWith: 'were carried out' },
    edits: [withoutLock, positionsRepeat]
  },
  'accounts of credit are not locked; the constraint holds': {
    trial: 'concurrent-deducts',
    run: PATIENT,
    trialThen: 'passes',
    edits: [withoutLock]
  },
  'two entries of credit may have one position; the lock holds': {
    trial: 'concurrent-deducts',
    run: PATIENT,
    trialThen: 'passes',
    edits: [positionsRepeat]
  }
}
