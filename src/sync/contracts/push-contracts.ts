import { type ContractPush, listContractPushes, pushCalls, recordPushes } from '#contracts'
import { defineJob, type JobOutcome } from '#kit/jobs'
import type { Connector, PlatformContract, PlatformResult } from '#platform'
import { pushContractJob } from '#subscriptions'
import type { SyncDeps } from '../deps.ts'
import { MAX_LOOKUPS, noContract, stopMissingContracts } from './read-and-apply-contracts.ts'

/** Updates contracts on the platform to the present state of their subscriptions: the status first, then the next date. */
export const pushContracts = defineJob(
  pushContractJob,
  async (deps: SyncDeps, storeId, jobs): Promise<JobOutcome[]> => {
    const { db, connectorOf } = deps
    const connector = await connectorOf(storeId)
    const pushes = await db.inStore(storeId, (ctx) =>
      listContractPushes(
        ctx,
        jobs.map(({ input }) => input.subscriptionId)
      )
    )
    const byId = new Map(pushes.map((push) => [push.subscriptionId, push]))
    const read = await connector.contracts.findReadable(pushes.map(({ contractId }) => contractId))
    if (!read.ok) return jobs.map(() => ({ done: false, reason: read.failure.message }))
    const { contracts, unreadable } = read.value

    const pushed: Pushed[] = []
    const gone: string[] = []
    const outcomes = await Promise.all(
      jobs.map(async ({ input, attempts }): Promise<JobOutcome> => {
        const push = byId.get(input.subscriptionId)!
        const contract = contracts.get(push.contractId)
        const reason = unreadable.get(push.contractId)
        if (reason !== undefined) return { done: false, reason }
        if (!contract) {
          const isGone = attempts >= MAX_LOOKUPS
          if (isGone) gone.push(push.contractId)
          return isGone ? { done: true } : noContract(push.contractId)
        }
        const result = await callPlatform(connector, push, contract)
        if (!result.ok) return { done: false, reason: result.failure.message }
        pushed.push({ id: push.subscriptionId, ...result.value })
        return { done: true }
      })
    )
    await db.inStore(storeId, (ctx) => recordPushes(ctx, pushed))
    await stopMissingContracts(db, storeId, gone)
    return outcomes
  }
)

type Pushed = Parameters<typeof recordPushes>[1][number]

/** Makes only the calls that are needed. Returns the contract's newest revision, and its next date where we set it. */
async function callPlatform(
  connector: Connector,
  push: ContractPush,
  contract: PlatformContract
): Promise<PlatformResult<Omit<Pushed, 'id'>>> {
  const { contractId: id } = push
  const calls = pushCalls(push, contract)
  let { revision, nextBillingDate } = contract
  if (calls.status) {
    const changed = await {
      active: () => connector.contracts.activate(id),
      paused: () => connector.contracts.pause(id),
      cancelled: () => connector.contracts.cancel(id),
      failed: () => connector.contracts.fail(id),
      expired: () => connector.contracts.expire(id)
    }[calls.status]()
    if (!changed.ok) return changed
    revision = changed.value.revision
  }
  if (calls.nextBillingAt) {
    const changed = await connector.contracts.setNextBillingDate(id, calls.nextBillingAt)
    if (!changed.ok) return changed
    ;({ revision, nextBillingDate } = changed.value)
  }
  const isOurDate = push.status === 'active' && push.nextBillingAt !== null
  return { ok: true, value: { revision, nextBillingAt: isOurDate ? nextBillingDate : null } }
}
