export { analyzeGrownTables } from './analyze-grown-tables.ts'
export { type Connection, openConnection } from './connection.ts'
export { type DatabaseOptions, OPERATOR_ROLE, PLANS_ACROSS_STORES, STORE_ROLE } from './connections.ts'
export { copyIn, copyOut, copyRows, type RunningCopy } from './copy-stream.ts'
export { type Bound, type Ctx, Database, type DatabaseStats, type Pseudonym, UnknownStore } from './database.ts'
export { createDatabaseState, type DatabaseState, type DatabaseTrouble } from './database-state.ts'
export { eraseStoreRows, listStoreTables, moveStoreRows } from './erase-store.ts'
export { holdName } from './hold-name.ts'
export { migrate } from './migrate.ts'
export type { MigrationSet } from './migration-set.ts'
export { isBusy, isOutage, isTemporary } from './outage.ts'
export type { Queries, Tx } from './queries.ts'
export {
  bool,
  bytes,
  type Column,
  day,
  instant,
  instantList,
  int,
  intList,
  isoInstant,
  json,
  nullable,
  oneOf,
  type Row,
  type RowOf,
  row,
  text,
  textList
} from './row.ts'
export { sentTogether } from './sent-together.ts'
export { refuseSharedSessions } from './shared-sessions.ts'
export { acrossStores, directSql, directStatements, type Statement, sql, statementsAcrossStores } from './sql.ts'
export { findStandbyRisk, watchStandbys } from './standbys.ts'
export { scaledLimits, TIME_LIMITS, type TimeLimits, type Work } from './time-limits.ts'
export { arrayText } from './types.ts'
export { waitForWriters } from './wait-for-writers.ts'
