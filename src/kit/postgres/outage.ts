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

/**
 * SQLSTATE classes for connection errors (08), authentication and unknown databases (28, 3D), insufficient resources (53) and
 * shutdown (57P); and Node's codes of operating system errors.
 */
const WITH_CODE = /^(08|28|3D|53|57P|E(?!RR_)[A-Z_]+$)/

/**
 * Whether the error affects the connection or the whole server, so that any other statement would fail now too. If a commit was
 * in progress, its outcome is unknown.
 */
export function isOutage(err: unknown): boolean {
  if (!(err instanceof Error)) return false
  const { code } = err as Error & { code?: unknown }
  return typeof code === 'string' ? WITH_CODE.test(code) : WITHOUT_CODE.test(err.message)
}
