import { enqueue } from '#kit/jobs'
import type { Ctx } from '#kit/postgres'

export const SYNC_CONTRACT = 'sync-contract'

/** Has these contracts (platform numbers) read from the platform again after the commit. */
export function lookAtContracts(ctx: Ctx, contractIds: string[]): Promise<void> {
  return enqueue(
    ctx,
    SYNC_CONTRACT,
    [...new Set(contractIds)].map((contractId) => ({ key: contractId, payload: { contractId } }))
  )
}
