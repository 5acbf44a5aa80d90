const LOCK_NOT_AVAILABLE = '55P03'
const NO_CONNECTION = 'timeout exceeded when trying to connect'

/**
 * Whether a statement or transaction gave up waiting for a lock or for a connection: others kept it for too long. Nothing of it
 * was done, and it can succeed when it is repeated.
 */
export function isBusy(err: unknown): boolean {
  if (!(err instanceof Error)) return false
  return (err as { code?: unknown }).code === LOCK_NOT_AVAILABLE || err.message === NO_CONNECTION
}

/** Messages of driver errors without a code: the connection was lost or not established, or the pool is closed. */
const WITHOUT_CODE = /^(Connection terminated|Client (has encountered|was closed)|Cannot use a pool|timeout e)/

/** Node's codes of operating system errors. */
const OF_SYSTEM = /^E(?!RR_)[A-Z_]+$/
/** SQLSTATE classes for connection errors, authentication, unknown databases and shutdown, where the server ends the connection. */
const ENDS_CONNECTION = /^(08|28|3D|57P)/
/** The SQLSTATE class for insufficient resources. */
const NO_RESOURCES = /^53/

const driverErrors = new WeakSet<Error>()

/** Notes that the driver raised this error, and throws it: `query().catch(noteDriverError)`. */
export function noteDriverError(err: unknown): never {
  if (err instanceof Error) driverErrors.add(err)
  throw err
}

/**
 * Whether the error affects the connection or the whole server, so that any other statement would fail now too. If a commit was
 * in progress, its outcome is unknown. Only errors that the driver of our database raised count: a file that is missing or a
 * service that refuses connections is no outage, whoever met it in a transaction.
 */
export function isOutage(err: unknown): boolean {
  if (!(err instanceof Error) || !driverErrors.has(err)) return false
  const { code, severity } = err as Error & { code?: unknown; severity?: string }
  if (typeof code !== 'string') return WITHOUT_CODE.test(err.message)
  if (severity === undefined) return OF_SYSTEM.test(code)
  // A function can raise such a code by itself, which ends only its statement.
  return NO_RESOURCES.test(code) || (ENDS_CONNECTION.test(code) && severity !== 'ERROR')
}
