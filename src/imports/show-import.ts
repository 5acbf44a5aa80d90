import { publicId } from '#kit/ids'
import type { Ctx } from '#kit/postgres'
import { pushContractJob } from '#subscriptions/transitions'
import type { Import } from './import.ts'
import { countToPush, findImport } from './queries.ts'
import { importNotFound } from './refusals.ts'

/** Refuses when there is none of this number. */
export async function requireImport(ctx: Ctx, id: number): Promise<Import> {
  const found = await findImport(ctx, id)
  if (!found) throw importNotFound(publicId('imp', id))
  return found
}

/** An import and how far it is; `toPush` contracts are ours already, and their platform has still to be told of it. */
export async function showImport(ctx: Ctx, id: number): Promise<Import & { toPush: number }> {
  const found = await requireImport(ctx, id)
  return { ...found, toPush: await countToPush(ctx, id, pushContractJob.name) }
}
