import type { DatabaseTrouble } from '#kit/postgres'
import type { Problem } from './problem.ts'

/** What to do, and what the message begins with. */
const OF_DATABASE = {
  unreachable: {
    kind: 'database_unreachable',
    says: 'The database does not answer',
    next:
      'The embedded database is started again by itself, and DATA_DIR/postgres.log says why it ended. With DATABASE_URL: start ' +
      'PostgreSQL, or check the address and the network. The service goes on by itself; nothing is lost.'
  },
  reads_only: {
    kind: 'database_reads_only',
    says: 'The database cannot be written, and nothing works that changes something',
    next:
      'If DATABASE_URL leads to a standby, let it lead to the primary, or promote the standby. If not: alter system reset ' +
      'default_transaction_read_only (or alter database … reset), then select pg_reload_conf(). The service goes on by itself.'
  },
  full: {
    kind: 'database_full',
    says: 'The database cannot be written, and nothing works that changes something',
    next:
      "Make room on the disk of the database's files (of the embedded one: DATA_DIR/postgres), or make it larger. Remove nothing " +
      'in its folder. The service goes on by itself; nothing is lost.'
  },
  does_not_commit: {
    kind: 'database_does_not_commit',
    says: 'The database does not commit, and nothing works that changes something',
    next:
      'Start its synchronous standby. Or do without: take it out of synchronous_standby_names, then select pg_reload_conf(). With ' +
      'no standby the disk is too slow, or somebody holds a lock: pg_stat_activity shows what commits wait for. The service goes on by itself.'
  },
  does_not_write: {
    kind: 'database_does_not_write',
    says: 'The database cannot be written, and nothing works that changes something',
    next: "Remove the reason that the error names; PostgreSQL's own log has more. The service goes on by itself."
  }
} as const satisfies Record<DatabaseTrouble['kind'], object>

/** What keeps the whole service from working, since the database cannot be worked with. */
export function databaseProblem({ kind, message }: DatabaseTrouble, since: Temporal.Instant): Problem {
  const { says, next, kind: problem } = OF_DATABASE[kind]
  return { kind: problem, store: null, subject: 'database', since, message: `${says}: ${message}`, next }
}

/** What keeps this node from signing webhooks. `problem` is a sentence with the figure. */
export function clockProblem(problem: string, since: Temporal.Instant): Problem {
  return {
    kind: 'clock_apart',
    store: null,
    subject: 'clock',
    since,
    message: problem,
    next:
      'Compare date -u of the node that answers this and of the machine of the database; timedatectl says whether they are ' +
      'synchronised. The service goes on within a minute.'
  }
}
