/** What the driver throws without a code: the connection was lost or not got, or the pool is closed. */
const WITHOUT_CODE = /^(Connection terminated|Client (has encountered|was closed)|Cannot use a pool|timeout e)/

/**
 * Of SQLSTATE classes those of the connection (08), of who may connect and to what (28, 3D), of the server's means (53) and
 * of its shutting down (57P); of Node's codes those of the operating system.
 */
const WITH_CODE = /^(08|28|3D|53|57P|E(?!RR_)[A-Z_]+$)/

/**
 * Whether a fault is that of the connection or of the whole server, so that anything else would fail as well just now.
 * After it nothing is known of a transaction whose commit was under way.
 */
export function isOutage(err: unknown): boolean {
  if (!(err instanceof Error)) return false
  const { code } = err as Error & { code?: unknown }
  return typeof code === 'string' ? WITH_CODE.test(code) : WITHOUT_CODE.test(err.message)
}
