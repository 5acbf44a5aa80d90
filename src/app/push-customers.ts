import type { Job, JobOutcome } from '#kit/jobs'
import type { Database } from '#kit/postgres'
import { listProfilesToPush, type ProfilePushed, type ProfileToPush, settleProfiles } from '#members'
import type { Connector } from '#platform'

type Deps = { db: Database; connectorOf: (storeId: number) => Promise<Connector> }

/**
 * Tells the platform of changed names and addresses. What it makes of them is taken over; when it refuses one for good
 * (the address is another customer's, or none), our member follows what the platform has.
 */
export async function pushCustomers({ db, connectorOf }: Deps, storeId: number, jobs: Job[]): Promise<JobOutcome[]> {
  const connector = await connectorOf(storeId)
  const wanted = jobs.map((job) => Number(job.payload.memberId))
  const pushes = await db.inStore(storeId, (ctx) => listProfilesToPush(ctx, wanted))
  const results = await connector.updateCustomers(
    pushes.map(({ platformCustomerId, changed }) => ({ id: platformCustomerId, ...changed }))
  )

  const pushed: ProfilePushed[] = []
  const refused: ProfileToPush[] = []
  const failures = new Map<number, string>()
  for (const [i, push] of pushes.entries()) {
    const result = results[i]!
    if (result.ok) pushed.push({ push, told: result.value })
    else if (result.failure.kind === 'rejected') refused.push(push)
    else failures.set(push.memberId, result.failure.message)
  }
  if (refused.length > 0) {
    const customers = await connector.customers(refused.map((push) => push.platformCustomerId))
    for (const push of refused) {
      if (customers.ok) pushed.push({ push, told: customers.value.get(push.platformCustomerId) ?? null })
      else failures.set(push.memberId, customers.failure.message)
    }
  }
  await db.inStore(storeId, (ctx) => settleProfiles(ctx, pushed))
  return wanted.map((memberId): JobOutcome => {
    const reason = failures.get(memberId)
    return reason === undefined ? { done: true } : { done: false, reason }
  })
}
