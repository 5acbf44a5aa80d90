import { createReadStream } from 'node:fs'
import type { AdminApi } from './admin-api.ts'
import { argument, oneOf, optional, text } from './flags.ts'

const TYPES = { csv: 'text/csv', ndjson: 'application/x-ndjson' } as const

/** The flags of a command that sends a file of rows. */
export const rowsFileFlags = {
  path: argument('<path>', text('the path of the file')),
  format: optional('--format <format>', {
    ...oneOf('csv', 'ndjson'),
    accepts: 'csv or ndjson (default: by the file name)'
  })
}

export type RowsFormat = keyof typeof TYPES

export const formatOf = (path: string, format: RowsFormat | undefined): RowsFormat =>
  format ?? (/\.(ndjson|jsonl)$/i.test(path) ? 'ndjson' : 'csv')

export const sendRows = (api: AdminApi, target: string, path: string, format: RowsFormat) =>
  api.sendFile(target, createReadStream(path), TYPES[format])
