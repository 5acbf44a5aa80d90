import type { Edit, Saboteur } from './saboteur.ts'

const TRIAL = 'database-faults'
const run = (fault: string, holdSeconds: number) => [
  'trials/run.ts',
  TRIAL,
  '7',
  '--faults',
  fault,
  '--hold',
  String(holdSeconds)
]
/** Longer than a request may take. */
const LOCKED = run('pool-exhausted', 14)
const HALF_OPEN = run('half-open', 8)
const STOPPED = run('sigterm-half-open', 1)

const serverEndsNoWait: Edit = {
  file: 'src/kit/postgres/connections.ts',
  from: "({ lockMs, statementMs }: StatementLimits, local = '')",
  to: "(_: StatementLimits, local = '', lockMs = 0, statementMs = 0)"
}
const nothingIsCut: Edit = {
  file: 'src/kit/postgres/answer-watch.ts',
  from: '    asking.connection.cut(new NoAnswer(ms))',
  to: '    asking.connection.listenerCount(String(ms))'
}
const nothingIsGivenUp: Edit = {
  file: 'src/kit/postgres/answer-watch.ts',
  from: '    one.giveUp(asDriverError(new NoAnswer(answerMs)))',
  to: '    asDriverError(new NoAnswer(answerMs))'
}
const noDeadline: Edit = {
  file: 'src/http/shared/deadline.ts',
  from: '      open.delete(request)\n      end()',
  to: '      open.delete(request)\n      void end'
}
const stopWaitsForAnswers: Edit = {
  file: 'src/app/serve.ts',
  from: 'open.shortenWaits(STOPPING_ANSWER_MS)',
  to: 'open.shortenWaits(STOPPING_ANSWER_MS * 1_000)'
}
const stopHasNoEnd: Edit = {
  file: 'src/app/serve.ts',
  from: '    endAfter(config.stopSeconds, exitCode,',
  to: '    endAfter(config.stopSeconds * 1_000, exitCode,'
}

export const databaseFaultsSaboteurs: Record<string, Saboteur> = {
  'nothing ends the wait for a lock: neither the server, nor the watch, nor the deadline of the request': {
    trial: TRIAL,
    run: LOCKED,
    trialThen: { failsWith: 'answered after' },
    edits: [serverEndsNoWait, nothingIsCut, nothingIsGivenUp, noDeadline]
  },
  'only the server ends the wait for a lock, while single statements wait behind each other': {
    trial: TRIAL,
    run: LOCKED,
    trialThen: { failsWith: 'answered after' },
    edits: [nothingIsCut, nothingIsGivenUp, noDeadline]
  },
  'only the watch of answers ends the wait for a lock': {
    trial: TRIAL,
    run: LOCKED,
    trialThen: 'passes',
    edits: [serverEndsNoWait, noDeadline]
  },
  'only the deadline of the request ends the wait for a lock': {
    trial: TRIAL,
    run: LOCKED,
    trialThen: 'passes',
    edits: [serverEndsNoWait, nothingIsCut, nothingIsGivenUp]
  },
  'a connection on which no answer comes is not cut': {
    trial: TRIAL,
    run: HALF_OPEN,
    trialThen: { failsWith: 'the service is ready: not within' },
    edits: [nothingIsCut]
  },
  // The limit of single statements is five seconds, and another four where it has to connect first: it holds less than is promised.
  'readiness waits as long as a statement does': {
    trial: TRIAL,
    run: HALF_OPEN,
    trialThen: { failsWith: '/readyz: answered after' },
    edits: [{ file: 'src/kit/postgres/database-state.ts', from: 'ANSWER_MS = 3_000', to: 'ANSWER_MS = 3_000_000' }]
  },
  'readiness only reads': {
    trial: TRIAL,
    run: run('disk-full', 6),
    trialThen: { failsWith: '/readyz was 200 all the time' },
    edits: [
      {
        file: 'src/kit/postgres/database-state.ts',
        from: 'Promise.race([Promise.all([read, writing]), late.promise])',
        to: 'Promise.race([Promise.all([read, writing.catch(() => {})]), late.promise])'
      }
    ]
  },
  'a stop waits for the database as long as work does, and nothing ends it; dead connections are cut': {
    trial: TRIAL,
    run: STOPPED,
    trialThen: 'passes',
    edits: [stopWaitsForAnswers, stopHasNoEnd]
  },
  'a stop waits for the database as long as work does, nothing ends it, and dead connections are not cut': {
    trial: TRIAL,
    run: STOPPED,
    trialThen: { failsWith: 'The exit code is not stopped in time' },
    edits: [stopWaitsForAnswers, stopHasNoEnd, nothingIsCut]
  },
  'a stop waits for the database as long as work does; its own limit holds': {
    trial: TRIAL,
    run: STOPPED,
    trialThen: 'passes',
    edits: [stopWaitsForAnswers]
  },
  'nothing ends a stop; its short waits for the database hold': {
    trial: TRIAL,
    run: STOPPED,
    trialThen: 'passes',
    edits: [stopHasNoEnd]
  },
  'a server that died is not started again': {
    trial: TRIAL,
    run: run('postmaster-killed', 2),
    trialThen: { failsWith: 'the service is ready: not within' },
    edits: [
      {
        file: 'src/embedded-postgres/keep-running.ts',
        from: 'if (stopping.signal.aborted || (await isAlive())) continue',
        to: 'if (!stopping.signal.aborted || (await isAlive())) continue'
      }
    ]
  },
  'a connection that the server ends is no outage': {
    trial: TRIAL,
    run: run('terminated', 4),
    trialThen: { failsWith: ': 500 ' },
    edits: [
      {
        file: 'src/kit/postgres/outage.ts',
        from: "FATAL.test(severity) || (ENDS_CONNECTION.test(code) && severity !== 'ERROR')",
        to: "(!FATAL.test(severity) && ENDS_CONNECTION.test(code) && severity !== 'ERROR')"
      }
    ]
  },
  'a server that only reads is no outage': {
    trial: TRIAL,
    run: run('read-only', 4),
    trialThen: { failsWith: ': 500 ' },
    edits: [
      { file: 'src/kit/postgres/outage.ts', from: 'CANNOT_WRITE = /^(53|58|25006)/', to: 'CANNOT_WRITE = /^(53|58)/' }
    ]
  }
}
