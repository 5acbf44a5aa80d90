import { publicId } from '#kit/ids'
import type { Ctx } from '#kit/postgres'
import type { Import } from './import.ts'
import { findImport, lockImport, markEnded } from './queries.ts'
import { importNotFound, wrongImportStatus } from './refusals.ts'

/**
 * Stops an import. What it has taken over stays; rows that wait are left. What is just being
 * made on the platform is still brought to its end. Doing it again changes nothing.
 */
export async function cancelImport(ctx: Ctx, id: number): Promise<Import> {
  const found = await lockImport(ctx, id)
  if (!found) throw importNotFound(publicId('imp', id))
  if (found.status === 'cancelled') return found
  if (found.status === 'done' || found.status === 'failed') throw wrongImportStatus(id, found.status)
  await markEnded(ctx, id, 'cancelled', { dueAt: ctx.now, error: null })
  return (await findImport(ctx, id))!
}
