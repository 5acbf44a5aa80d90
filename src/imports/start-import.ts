import type { Ctx } from '#kit/postgres'
import { invalidField } from '#kit/refusal'
import type { Import } from './import.ts'
import { findOpenImport, insertImport } from './queries.ts'

/** One whose file does not come within so many days is given up. */
const FILE_WITHIN_DAYS = 7

export type NewImport = Pick<Import, 'source' | 'mode' | 'pausedUntil'> & {
  /** Of the file that will be sent: an import of it that is not over goes on. */
  fileSha256: string | null
}

/** Begins an import: of a file, which is waited for, or of what the platform has. */
export async function startImport(ctx: Ctx, wanted: NewImport): Promise<Import> {
  const { source, mode, pausedUntil, fileSha256 } = wanted
  if (pausedUntil && mode !== 'paused') throw invalidField('paused_until', 'is for the mode paused')
  if (fileSha256 && source === 'platform') throw invalidField('sha256', 'is for files')
  // Two runs over the platform at once would only be in each other's way.
  const open = fileSha256 || source === 'platform' ? await findOpenImport(ctx, wanted) : null
  if (open) return open
  return source === 'platform'
    ? insertImport(ctx, { ...wanted, status: 'fetching', dueAt: ctx.now })
    : insertImport(ctx, { ...wanted, status: 'receiving', dueAt: ctx.now.add({ hours: FILE_WITHIN_DAYS * 24 }) })
}
