/** How long one statement may wait and run, in milliseconds. */
export type StatementLimits = {
  /** For a lock; the server ends the statement. */
  lockMs: number
  /** As a whole, the wait for locks included; the server ends the statement. */
  statementMs: number
  /**
   * For an answer of the server; this side cuts the connection. Longer than `statementMs`: a server that can be reached has
   * answered by then.
   */
  answerMs: number
}

/** The kinds of transactions: of a request, of an engine, and long ones such as the auditor's and the housekeeping's. */
export type Work = 'request' | 'background' | 'maintenance'

/** How long everything that asks the database may wait, in milliseconds. */
export type TimeLimits = {
  /** For a new connection, its set-up included. */
  connectMs: number
  /** For a free connection of the pool. */
  checkoutMs: number
  /** For this process between two statements of a transaction; the server ends the connection. */
  idleInTransactionMs: number
  /** For the whole of a request's transaction, the wait for its connection included. */
  requestMs: number
  /** For the goodbye of a connection, before it is cut. */
  endMs: number
  direct: StatementLimits
  acrossStores: StatementLimits
} & Record<Work, StatementLimits>

/**
 * The limits of the service. A request is answered within ten seconds, whatever the database does: one that waits for a connection
 * and then for an answer (`requestMs`), and one whose direct statement needs a new connection (`connectMs` and `direct.answerMs`).
 */
export const TIME_LIMITS: TimeLimits = {
  connectMs: 4_000,
  checkoutMs: 5_000,
  idleInTransactionMs: 60_000,
  requestMs: 9_000,
  endMs: 2_000,
  direct: { lockMs: 4_000, statementMs: 4_500, answerMs: 5_000 },
  acrossStores: { lockMs: 4_000, statementMs: 15_000, answerMs: 20_000 },
  request: { lockMs: 4_000, statementMs: 7_000, answerMs: 8_000 },
  background: { lockMs: 10_000, statementMs: 60_000, answerMs: 65_000 },
  maintenance: { lockMs: 10_000, statementMs: 600_000, answerMs: 610_000 }
}

/** The same limits in another measure, each at least one millisecond: for tests, which would wait too long for the real ones. */
export function scaledLimits(factor: number, limits: TimeLimits = TIME_LIMITS): TimeLimits {
  const scale = (value: unknown): unknown =>
    typeof value === 'number'
      ? Math.max(1, Math.round(value * factor))
      : Object.fromEntries(Object.entries(value as object).map(([name, part]) => [name, scale(part)]))
  return scale(limits) as TimeLimits
}
