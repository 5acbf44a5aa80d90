import { bool, instant, int, json, nullable, oneOf, type RowOf, row, text, textList } from '#kit/postgres'

export const SOURCES = ['csv', 'ndjson', 'platform'] as const
export const MODES = ['live', 'paused'] as const

export const Import = row({
  id: int,
  source: oneOf(...SOURCES),
  /** The status that a contract gets here when its row gives none. */
  mode: oneOf(...MODES),
  pausedUntil: nullable(instant),
  /** Rows without an id may create several contracts of one customer for one plan. */
  allowDuplicates: bool,
  status: oneOf('receiving', 'fetching', 'running', 'done', 'failed', 'cancelled'),
  columns: textList,
  fileSha256: nullable(text),
  stagedSha256: nullable(text),
  linesRead: int,
  totalRows: int,
  createdRows: int,
  unchangedRows: int,
  refusedRows: int,
  platformBulkOperationId: nullable(text),
  failedOperations: int,
  /** Contracts that the platform's bulk operation has listed so far. */
  listedContracts: int,
  lastError: nullable(text),
  tries: int,
  leaseToken: int,
  createdAt: instant,
  startedAt: nullable(instant),
  finishedAt: nullable(instant)
})
export type Import = RowOf<typeof Import>

/** The fields of a row as the sender wrote them, by column name. */
export type Input = Record<string, string>

/** Why a row was not imported. */
export type RowRefusal = { code: RefusedCode; field: string | null; message: string }

export type RefusedCode =
  | 'invalid_field'
  | 'duplicate_row'
  | 'customer_not_found'
  | 'ambiguous_email'
  | 'contract_not_found'
  | 'contract_not_understood'
  | 'contract_ended'
  | 'plan_not_found'
  | 'no_payment_method'
  | 'date_passed'
  | 'differs_from_platform'
  | 'platform_refused'
  | 'internal_error'

/** A row that is not processed yet. */
export const OpenRow = row({
  line: int,
  input: json<Input>(),
  status: oneOf('waiting', 'creating'),
  createKey: nullable(text),
  platformCustomerId: nullable(text),
  /** The last request to create its contract was sent so long ago that no response can still arrive. */
  isQuiet: bool
})
export type OpenRow = RowOf<typeof OpenRow>

/** The outcome of a row. */
export type RowResult =
  | { line: number; status: 'created' | 'unchanged'; subscriptionId: number; platformContractId: string }
  | { line: number; status: 'refused'; refusal: RowRefusal }

export const refused = (code: RefusedCode, field: string | null, message: string): RowRefusal => ({
  code,
  field,
  message
})
