const LOCK_NOT_AVAILABLE = '55P03'
const CANCELED = '57014'
/** A statement in flight before it was to prepare it and could not, mostly for a lock; it was repeated once already. */
const NOT_PREPARED = '26000'
/** What the pool says when no connection was free in time. */
export const NO_CONNECTION = 'timeout exceeded when trying to connect'

/** The database did not answer in time, and its connection was cut. Whether the last statement was carried out is not known. */
export class NoAnswer extends Error {
  constructor(ms: number) {
    super(`The database did not answer within ${ms < 1_000 ? `${ms} ms` : `${Math.round(ms / 100) / 10} s`}`)
    this.name = 'NoAnswer'
  }
}

/**
 * Whether a statement or transaction gave up waiting for a lock, for a connection or for the end of a statement: others kept it for
 * too long. Nothing of it was done, and it can succeed when it is repeated.
 */
export function isBusy(err: unknown): boolean {
  if (!(err instanceof Error)) return false
  const { code } = err as { code?: unknown }
  if (code === LOCK_NOT_AVAILABLE || err.message === NO_CONNECTION) return true
  return (code === CANCELED || code === NOT_PREPARED) && isOfDriver(err)
}

/** Messages of driver errors without a code: the connection was lost or not established, or the pool is closed. */
const WITHOUT_CODE =
  /^(Connection terminated|Client (has encountered|was closed)|Cannot use a pool|timeout e|Query read timeout)/

/** Node's codes of operating system errors. */
const OF_SYSTEM = /^E(?!RR_)[A-Z_]+$/
/** SQLSTATE classes for connection errors, authentication, unknown databases and shutdown, where the server ends the connection. */
const ENDS_CONNECTION = /^(08|28|3D|57P)/
/** Severities after which the server ends the connection, whatever the code. */
const FATAL = /^(FATAL|PANIC)$/
/** SQLSTATEs for insufficient resources, such as a full disk, for system errors, and for a server that only reads. */
const CANNOT_WRITE = /^(53|58|25006)/

const driverErrors = new WeakSet<Error>()
const isOfDriver = (err: Error) => driverErrors.has(err)

/** Notes that the driver raised this error, and throws it: `query().catch(noteDriverError)`. */
export function noteDriverError(err: unknown): never {
  throw err instanceof Error ? asDriverError(err) : err
}

/** The same error, noted as one that the driver raised. */
export function asDriverError(err: Error): Error {
  driverErrors.add(err)
  return err
}

/**
 * Whether the error affects the connection or the whole server, so that any other statement would fail now too. If a commit was
 * in progress, its outcome is unknown. Only errors that the driver of our database raised count: a file that is missing or a
 * service that refuses connections is no outage, whoever met it in a transaction.
 */
export function isOutage(err: unknown): boolean {
  if (!(err instanceof Error) || !isOfDriver(err)) return false
  if (err instanceof NoAnswer) return true
  const { code, severity } = err as Error & { code?: unknown; severity?: string }
  if (typeof code !== 'string') return WITHOUT_CODE.test(err.message)
  if (severity === undefined) return OF_SYSTEM.test(code)
  // A function can raise such a code by itself, which ends only its statement.
  return CANNOT_WRITE.test(code) || FATAL.test(severity) || (ENDS_CONNECTION.test(code) && severity !== 'ERROR')
}

/**
 * Whether the same can succeed when it is repeated later: the database was away (`isOutage`), or others kept what it needs (`isBusy`).
 * What else would be written meanwhile fails too, or waits as long.
 */
export const isTemporary = (err: unknown): boolean => isOutage(err) || isBusy(err)
