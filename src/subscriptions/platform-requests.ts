import { Type } from 'typebox'
import { declareJob, enqueue } from '#kit/jobs'
import type { Ctx } from '#kit/postgres'
import { listDatesBehind } from './queries.ts'

// Requests to the platform are jobs, written in the transaction of the change that needs them: as long as a push waits, status
// and next date of the contract are ours (contracts/decide-contract-changes.ts). `contracts` decides what each one means when it
// runs, `sync` calls the platform.

const dedupe = ({ subscriptionId }: { subscriptionId: number }) => subscriptionId

/** The platform's contract gets the status and the next date of the subscription. */
export const pushContractJob = declareJob('push-contract', Type.Object({ subscriptionId: Type.Integer() }), {
  priority: 'high',
  dedupe
})

/** The platform's contract gets the terms that were requested. */
export const editContractJob = declareJob('edit-contract', Type.Object({ subscriptionId: Type.Integer() }), { dedupe })

/** The contract (by its number on the platform) is read from the platform again. */
export const syncContractJob = declareJob('sync-contract', Type.Object({ contractId: Type.String() }), {
  dedupe: ({ contractId }) => contractId
})

/** Has the contracts of these subscriptions brought up to date after the commit. */
export const enqueueContractPush = (ctx: Ctx, subscriptionIds: number[]): Promise<void> =>
  enqueue(
    ctx,
    pushContractJob,
    subscriptionIds.map((subscriptionId) => ({ subscriptionId }))
  )

/** The same for all whose contract has another next date than they have, which the reading of a restored store may leave. */
export const enqueuePushesOfDates = async (ctx: Ctx): Promise<void> =>
  enqueueContractPush(ctx, await listDatesBehind(ctx))

/** Has the requested changes of these subscriptions made on the platform after the commit. */
export const enqueueContractEdit = (ctx: Ctx, subscriptionIds: number[]): Promise<void> =>
  enqueue(
    ctx,
    editContractJob,
    subscriptionIds.map((subscriptionId) => ({ subscriptionId }))
  )

/** Has these contracts (platform numbers) read from the platform again after the commit. */
export const enqueueContractSync = (ctx: Ctx, contractIds: string[]): Promise<void> =>
  enqueue(
    ctx,
    syncContractJob,
    [...new Set(contractIds)].map((contractId) => ({ contractId }))
  )
