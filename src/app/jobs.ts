import { SYNC_CONTRACT } from '#billing'
import type { Job, JobHandler, JobOutcome } from '#kit/jobs'
import type { Database } from '#kit/postgres'
import { PUSH_CUSTOMER } from '#members'
import type { Connector, PlatformContract, PlatformResult } from '#platform'
import { lockSubscriptions, notePushed, PUSH_CONTRACT, type Pushed, type Subscription } from '#subscriptions'
import { syncContractsById } from './platform-topics.ts'
import { pushCustomers } from './push-customers.ts'

type Deps = { db: Database; connectorOf: (storeId: number) => Promise<Connector> }

/** Every kind of job, and the verb that does it. */
export function jobHandlers(deps: Deps): Record<string, JobHandler> {
  return {
    [PUSH_CONTRACT]: (storeId, jobs) => pushContracts(deps, storeId, jobs),
    [PUSH_CUSTOMER]: (storeId, jobs) => pushCustomers(deps, storeId, jobs),
    [SYNC_CONTRACT]: async (storeId, jobs) => {
      const ids = jobs.map((job) => String(job.payload.contractId))
      const unsure = new Set(await syncContractsById(deps, storeId, ids))
      return ids.map((id) =>
        unsure.has(id) ? { done: false, reason: 'A change of ours is under way there' } : { done: true }
      )
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

  const made: Pushed[] = []
  const outcomes = await Promise.all(
    wanted.map(async (id): Promise<JobOutcome> => {
      const subscription = subscriptions.get(id)!
      const contract = contracts.value.get(subscription.platformContractId)
      if (!contract) return { done: false, reason: `The platform has no contract ${subscription.platformContractId}` }
      const pushed = await push(connector, subscription, contract)
      if (!pushed.ok) return { done: false, reason: pushed.failure.message }
      made.push({ id, ...pushed.value })
      return { done: true }
    })
  )
  await db.inStore(storeId, (ctx) => notePushed(ctx, made))
  return outcomes
}

/**
 * Makes only the calls that are needed; the value is the contract's newest revision, and its date where that is ours now. A
 * date of a contract that stands still may be somebody else's: it is left to be followed.
 */
async function push(
  connector: Connector,
  subscription: Subscription,
  contract: PlatformContract
): Promise<PlatformResult<Omit<Pushed, 'id'>>> {
  let { revision } = contract
  let date: Temporal.Instant | null = null
  const { platformContractId: id, nextBillingAt, graceEndsAt } = subscription
  // What is cancelled there cannot be taken back, so it only stands still as long as it can be here.
  const status = subscription.status === 'cancelled' && graceEndsAt ? 'paused' : subscription.status
  const move = {
    active: () => connector.activateContract(id),
    paused: () => connector.pauseContract(id),
    cancelled: () => connector.cancelContract(id),
    failed: () => connector.failContract(id),
    expired: () => connector.expireContract(id)
  }[status]
  if (contract.status !== status) {
    const moved = await move()
    if (!moved.ok) return moved
    revision = moved.value.revision
  }
  if (status === 'active' && nextBillingAt) {
    date = contract.nextBillingDate
    if (!date?.equals(nextBillingAt)) {
      const moved = await connector.setNextBillingDate(id, nextBillingAt)
      if (!moved.ok) return moved
      revision = moved.value.revision
      date = moved.value.nextBillingDate
    }
  }
  return { ok: true, value: { revision, nextBillingAt: date } }
}
