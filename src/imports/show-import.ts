import { publicId } from '#kit/ids'
import type { Ctx } from '#kit/postgres'
import { pushContractJob } from '#subscriptions'
import type { Import } from './import.ts'
import { countToPush, findImport } from './queries.ts'
import { importNotFound } from './refusals.ts'

/** Refuses an unknown id. */
export async function requireImport(ctx: Ctx, id: number): Promise<Import> {
  const found = await findImport(ctx, id)
  if (!found) throw importNotFound(publicId('imp', id))
  return found
}

/** An import with its progress. `toPush`: imported contracts whose changes are not pushed to the platform yet. */
export async function showImport(ctx: Ctx, id: number): Promise<Import & { toPush: number }> {
  const found = await requireImport(ctx, id)
  return { ...found, toPush: await countToPush(ctx, id, pushContractJob.name) }
}
