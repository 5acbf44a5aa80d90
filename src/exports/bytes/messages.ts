import type { PagePlan } from '../endpoint.ts'

export const ENCODINGS = ['identity', 'gzip', 'br', 'zstd'] as const
/** How the bytes of an export are compressed, by the names of HTTP. */
export type Encoding = (typeof ENCODINGS)[number]

/** How long an export may wait and run, in milliseconds. */
export type ExportLimits = {
  /** For a free connection. */
  waitMs: number
  /** For its first bytes, the wait for a connection not included. */
  firstBytesMs: number
  /** For a reader that takes nothing. */
  stalledMs: number
  /** As a whole; the server ends its statement. */
  wholeMs: number
}

/** What a thread is started with. */
export type ThreadOptions = { url: string; statementMs: number }

/** What a thread of exports is told. `id` names one export of the thread. */
export type ToThread =
  | { kind: 'start'; id: number; plan: PagePlan; encoding: Encoding }
  /** So many bytes were taken by the reader, and as many more may be sent. */
  | { kind: 'taken'; id: number; bytes: number }
  | { kind: 'cancel'; id: number }
  | { kind: 'stop' }

/** What a thread says. The last message of an export is `ended`, `failed` or `cancelled`; its connection is free then. */
export type FromThread =
  | { kind: 'bytes'; id: number; chunk: Uint8Array<ArrayBuffer> }
  | { kind: 'ended'; id: number; rows: number }
  /** `isTemporary`: the database was away or busy. */
  | { kind: 'failed'; id: number; message: string; code: string | null; isTemporary: boolean }
  | { kind: 'cancelled'; id: number }
  | { kind: 'stopped' }

/** So many bytes of an export may be on their way to its reader; then its COPY waits. */
export const WINDOW_BYTES = 1 << 20
