import { SYNC_CONTRACT } from '#billing'
import type { Job, JobHandler, JobOutcome } from '#kit/jobs'
import type { Database } from '#kit/postgres'
import { PUSH_CUSTOMER } from '#members'
import type { Connector, PlatformContract, PlatformResult } from '#platform'
import { lockSubscriptions, noteRevisions, PUSH_CONTRACT, type Subscription } from '#subscriptions'
import { syncContractsById } from './platform-topics.ts'
import { pushCustomers } from './push-customers.ts'

type Deps = { db: Database; connectorOf: (storeId: number) => Promise<Connector> }

/** Every kind of job, and the verb that does it. */
export function jobHandlers(deps: Deps): Record<string, JobHandler> {
  return {
    [PUSH_CONTRACT]: (storeId, jobs) => pushContracts(deps, storeId, jobs),
    [PUSH_CUSTOMER]: (storeId, jobs) => pushCustomers(deps, storeId, jobs),
    [SYNC_CONTRACT]: async (storeId, jobs) => {
      await syncContractsById(
        deps,
        storeId,
        jobs.map((job) => String(job.payload.contractId))
      )
      return jobs.map(() => ({ done: true }))
    }
  }
}

/** Brings the platform's contracts in line with what is true here when the job runs: status first, then the next date. */
async function pushContracts({ db, connectorOf }: Deps, storeId: number, jobs: Job[]): Promise<JobOutcome[]> {
  const connector = await connectorOf(storeId)
  const wanted = jobs.map((job) => Number(job.payload.subscriptionId))
  const subscriptions = new Map(
    (await db.inStore(storeId, (ctx) => lockSubscriptions(ctx, wanted))).map((s) => [s.id, s])
  )
  const contracts = await connector.contracts([...subscriptions.values()].map((s) => s.platformContractId))
  if (!contracts.ok) return jobs.map(() => ({ done: false, reason: contracts.failure.message }))

  const revisions: { id: number; revision: string }[] = []
  const outcomes = await Promise.all(
    wanted.map(async (id): Promise<JobOutcome> => {
      const subscription = subscriptions.get(id)!
      const contract = contracts.value.get(subscription.platformContractId)
      if (!contract) return { done: false, reason: `The platform has no contract ${subscription.platformContractId}` }
      const pushed = await push(connector, subscription, contract)
      if (!pushed.ok) return { done: false, reason: pushed.failure.message }
      if (pushed.value) revisions.push({ id, revision: pushed.value })
      return { done: true }
    })
  )
  await db.inStore(storeId, (ctx) => noteRevisions(ctx, revisions))
  return outcomes
}

/** Makes only the calls that are needed; the value is the contract's newest revision, or null when none was. */
async function push(
  connector: Connector,
  subscription: Subscription,
  contract: PlatformContract
): Promise<PlatformResult<string | null>> {
  let revision: string | null = null
  const { status, platformContractId: id, nextBillingAt } = subscription
  const move = {
    active: () => connector.activateContract(id),
    paused: () => connector.pauseContract(id),
    cancelled: () => connector.cancelContract(id),
    failed: () => connector.failContract(id),
    // Contracts expire on the platform by themselves.
    expired: null
  }[status]
  if (move && contract.status !== status) {
    const moved = await move()
    if (!moved.ok) return moved
    revision = moved.value.revision
  }
  if (status === 'active' && nextBillingAt && !contract.nextBillingDate?.equals(nextBillingAt)) {
    const moved = await connector.setNextBillingDate(id, nextBillingAt)
    if (!moved.ok) return moved
    revision = moved.value.revision
  }
  return { ok: true, value: revision }
}
