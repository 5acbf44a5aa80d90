import { publicId } from '#kit/ids'
import type { Ctx } from '#kit/postgres'
import type { Import } from './import.ts'
import { findImport, lockImport, markEnded } from './queries.ts'
import { importNotFound, wrongImportStatus } from './refusals.ts'

/**
 * Cancels an import. Contracts that it has imported stay; waiting rows are not processed. Contracts that are being created on
 * the platform are still completed. Cancelling twice changes nothing. Refuses an import that is done or failed.
 */
export async function cancelImport(ctx: Ctx, id: number): Promise<Import> {
  const found = await lockImport(ctx, id)
  if (!found) throw importNotFound(publicId('imp', id))
  if (found.status === 'cancelled') return found
  if (found.status === 'done' || found.status === 'failed') throw wrongImportStatus(id, found.status)
  await markEnded(ctx, id, 'cancelled', { dueAt: ctx.now, error: null })
  return (await findImport(ctx, id))!
}
