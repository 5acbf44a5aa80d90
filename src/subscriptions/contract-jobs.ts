import { Type } from 'typebox'
import { declareJob, enqueue } from '#kit/jobs'
import type { Ctx } from '#kit/postgres'

/** Reads a contract (by its number on the platform) and applies what changed there. */
export const syncContractJob = declareJob('sync-contract', Type.Object({ contractId: Type.String() }), {
  dedupe: ({ contractId }) => contractId
})

/** Has these contracts (platform numbers) read from the platform again after the commit. */
export function enqueueContractSync(ctx: Ctx, contractIds: string[]): Promise<void> {
  return enqueue(
    ctx,
    syncContractJob,
    [...new Set(contractIds)].map((contractId) => ({ contractId }))
  )
}
