/** A statement that may break a rule, with the reason. `owner` is the function or constant that holds it. */
export type Exception = { file: string; owner: string; rules: readonly number[]; reason: string }

/** Plain reads and plain updates over all stores (rule 9), and the few others that a sharded database will do another way. */
export const EXCEPTIONS: Exception[] = []

/**
 * Statement triggers with transition tables (rule 7). They maintain counts of lists and metrics, and stay until sharding
 * itself is built; then the application writes what they write. Nothing may be added here.
 */
export const TRANSITION_TRIGGERS: ReadonlySet<string> = new Set([])
