import type { Ctx } from '#kit/postgres'
import { invalidField } from '#kit/refusal'
import type { Import } from './import.ts'
import { findOpenImport, insertImport } from './queries.ts'

/** An import whose file does not arrive within this time is cancelled. */
const FILE_WITHIN_DAYS = 7

export type NewImport = Pick<Import, 'source' | 'mode' | 'pausedUntil' | 'allowDuplicates'> & {
  /** Hash of the file that will be sent; an unfinished import of that file is continued. */
  fileSha256: string | null
}

/** Starts an import of a file, which is sent next, or of the platform's own contracts. */
export async function startImport(ctx: Ctx, wanted: NewImport): Promise<Import> {
  const { source, mode, pausedUntil, allowDuplicates, fileSha256 } = wanted
  if (pausedUntil && mode !== 'paused') throw invalidField('paused_until', 'is accepted only if mode is paused')
  if (fileSha256 && source === 'platform') throw invalidField('sha256', 'is accepted only if source is csv or ndjson')
  if (allowDuplicates && source === 'platform') {
    throw invalidField('allow_duplicates', 'is accepted only if source is csv or ndjson')
  }
  // Two imports of the platform's list at once would block each other's bulk operations.
  const open = fileSha256 || source === 'platform' ? await findOpenImport(ctx, wanted) : null
  if (open) return open
  return source === 'platform'
    ? insertImport(ctx, { ...wanted, status: 'fetching', dueAt: ctx.now })
    : insertImport(ctx, { ...wanted, status: 'receiving', dueAt: ctx.now.add({ hours: FILE_WITHIN_DAYS * 24 }) })
}
