import { type AnyJob, defineJob, type JobOutcome, type QueuedJob } from '#kit/jobs'
import type { Database } from '#kit/postgres'
import { memberJobs } from '#members'
import type { Connector, PlatformContract, PlatformResult } from '#platform'
import { storeContext } from '#stores'
import {
  lockSubscriptions,
  markPushed,
  nextDateOf,
  type Pushed,
  type Subscription,
  subscriptionJobs,
  syncContractJob
} from '#subscriptions'
import { pushContractJob } from '#subscriptions/transitions'
import { stopMissingContracts, syncContractsById, syncJobs } from '#sync'

type Deps = { db: Database; connectorOf: (storeId: number) => Promise<Connector> }

/** Every job, by the module that runs it. */
export const jobs: AnyJob<Deps>[] = [
  ...Object.values(memberJobs),
  ...Object.values(subscriptionJobs),
  ...Object.values(syncJobs),
  defineJob(pushContractJob, pushContracts),
  defineJob(syncContractJob, syncContracts)
]

/** How often a contract that is not found is asked for before it counts as gone: the platform may be late with new ones. */
const ASKED_UNTIL_GONE = 4

async function syncContracts(
  deps: Deps,
  storeId: number,
  jobs: QueuedJob<{ contractId: string }>[]
): Promise<JobOutcome[]> {
  const ids = jobs.map(({ input }) => input.contractId)
  const { unsure, failed, missing } = await syncContractsById(deps, storeId, ids)
  const gone = missing.filter((id) => jobs[ids.indexOf(id)]!.attempts >= ASKED_UNTIL_GONE)
  await stopMissingContracts(deps.db, storeId, gone)
  return ids.map((id): JobOutcome => {
    if (failed.has(id)) return { done: false, reason: failed.get(id)! }
    if (unsure.includes(id)) return { done: false, waits: true, reason: 'A change of ours is under way there' }
    return missing.includes(id) && !gone.includes(id) ? noContract(id) : { done: true }
  })
}

const noContract = (id: string): JobOutcome => ({ done: false, reason: `The platform has no contract ${id}` })

/** Brings the platform's contracts in line with what is true here when the job runs: status first, then the next date. */
async function pushContracts(
  { db, connectorOf }: Deps,
  storeId: number,
  jobs: QueuedJob<{ subscriptionId: number }>[]
): Promise<JobOutcome[]> {
  const connector = await connectorOf(storeId)
  const wanted = jobs.map(({ input }) => input.subscriptionId)
  const held = await db.inStore(storeId, async (ctx) => {
    const { timezone } = await storeContext(ctx)
    const subscriptions = await lockSubscriptions(ctx, wanted)
    return subscriptions.map((s) => [s.id, { ...s, nextDate: nextDateOf(s, ctx.now, timezone) }] as const)
  })
  const subscriptions = new Map(held)
  const contracts = await connector.contracts.findReadable(held.map(([, s]) => s.platformContractId))
  if (!contracts.ok) return jobs.map(() => ({ done: false, reason: contracts.failure.message }))

  const made: Pushed[] = []
  const gone: string[] = []
  const outcomes = await Promise.all(
    wanted.map(async (id, i): Promise<JobOutcome> => {
      const subscription = subscriptions.get(id)!
      const contract = contracts.value.contracts.get(subscription.platformContractId)
      const reason = contracts.value.unreadable.get(subscription.platformContractId)
      if (reason !== undefined) return { done: false, reason }
      if (!contract) {
        const isGone = jobs[i]!.attempts >= ASKED_UNTIL_GONE
        if (isGone) gone.push(subscription.platformContractId)
        return isGone ? { done: true } : noContract(subscription.platformContractId)
      }
      const pushed = await push(connector, subscription, contract)
      if (!pushed.ok) return { done: false, reason: pushed.failure.message }
      made.push({ id, ...pushed.value })
      return { done: true }
    })
  )
  await db.inStore(storeId, (ctx) => markPushed(ctx, made))
  await stopMissingContracts(db, storeId, gone)
  return outcomes
}

/**
 * Makes only the calls that are needed; the value is the contract's newest revision, and its date where that is ours now. A
 * date of a contract that stands still may be somebody else's: it is left to be followed.
 */
async function push(
  connector: Connector,
  subscription: Subscription & { nextDate: Temporal.Instant | null },
  contract: PlatformContract
): Promise<PlatformResult<Omit<Pushed, 'id'>>> {
  let { revision } = contract
  let date: Temporal.Instant | null = null
  const { platformContractId: id, nextDate, graceEndsAt } = subscription
  // What is cancelled there cannot be taken back, so it only stands still as long as it can be here.
  const status = subscription.status === 'cancelled' && graceEndsAt ? 'paused' : subscription.status
  const move = {
    active: () => connector.contracts.activate(id),
    paused: () => connector.contracts.pause(id),
    cancelled: () => connector.contracts.cancel(id),
    failed: () => connector.contracts.fail(id),
    expired: () => connector.contracts.expire(id)
  }[status]
  if (contract.status !== status) {
    const moved = await move()
    if (!moved.ok) return moved
    revision = moved.value.revision
  }
  if (status === 'active' && nextDate) {
    date = contract.nextBillingDate
    if (!date?.equals(nextDate)) {
      const moved = await connector.contracts.setNextBillingDate(id, nextDate)
      if (!moved.ok) return moved
      revision = moved.value.revision
      date = moved.value.nextBillingDate
    }
  }
  return { ok: true, value: { revision, nextBillingAt: date } }
}
