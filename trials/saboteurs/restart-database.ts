import type { Saboteur } from './saboteur.ts'

export const restartDatabaseSaboteurs: Record<string, Saboteur> = {
  'a commit is acknowledged before it is on disk': {
    trial: 'restart-database',
    run: ['trials/run.ts', 'restart-database', '7', '--size', '40', '--kills', '6'],
    trialThen: 'fails',
    edits: [
      {
        file: 'src/kit/postgres/database.ts',
        from: '; set idle_in_transaction_session_timeout',
        to: '; set synchronous_commit = off; set idle_in_transaction_session_timeout'
      }
    ]
  }
}
