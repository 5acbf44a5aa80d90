import { type Edit, type Saboteur, slice } from './saboteur.ts'

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

/**
 * A part of what goes wrong without the others meets this constraint: a retry of a cycle that was paid after the retry had read it. What is
 * still open it lets through, so it does not hold alone.
 */
const paidCycleReturns: Edit = {
  file: 'migrations/0009-subscriptions.sql',
  from: '  check (next_cycle > cycle_index),\n',
  to: ''
}
const run = slice('contention-trial')

export const contentionSaboteurs: Record<string, Saboteur> = {
  'a retry neither locks its subscription nor looks for a rival, and a cycle may have several open attempts': {
    trial: 'contention',
    run,
    trialThen: { failsWith: ' attempts, ' },
    edits: [...retryWithoutLock, manyOpenAttempts, paidCycleReturns]
  },
  'a retry neither locks its subscription nor looks for a rival; the constraint holds': {
    trial: 'contention',
    run,
    trialThen: 'passes',
    edits: [...retryWithoutLock, paidCycleReturns]
  },
  'a cycle may have several open attempts; the lock and the look for a rival hold': {
    trial: 'contention',
    run,
    trialThen: 'passes',
    edits: [manyOpenAttempts, paidCycleReturns]
  }
}
