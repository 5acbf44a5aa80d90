export {
  type Ctx,
  Database,
  type DatabaseStats,
  OPERATOR_ROLE,
  type Queries,
  STORE_ROLE,
  type Tx,
  UnknownStore
} from './database.ts'
export { migrate } from './migrate.ts'
export type { MigrationSet } from './migration-set.ts'
export { isOutage } from './outage.ts'
export {
  bool,
  bytes,
  type Column,
  day,
  instant,
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
export { directSql, directStatements, type Statement, sql } from './sql.ts'
