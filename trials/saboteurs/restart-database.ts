import type { Saboteur } from './saboteur.ts'

const RESTARTS = ['trials/run.ts', 'restart-database', '7', '--size', '40', '--kills', '6']

export const restartDatabaseSaboteurs: Record<string, Saboteur> = {
  'a commit is acknowledged before it is on disk': {
    trial: 'restart-database',
    run: RESTARTS,
    trialThen: { failsWith: 'writes that were acknowledged are lost' },
    edits: [
      {
        file: 'src/kit/postgres/connections.ts',
        from: '; set idle_in_transaction_session_timeout',
        to: '; set synchronous_commit = off; set idle_in_transaction_session_timeout'
      }
    ]
  },
  'a failure with a paid order is a failure': {
    trial: 'restart-database',
    run: RESTARTS,
    trialThen: { failsWith: 'contract 900' },
    edits: [
      {
        file: 'src/platform/billing/attempt.ts',
        from: "if (attempt.has('order') && isPaidOrder(order))",
        to: 'if (false)'
      }
    ]
  }
}
