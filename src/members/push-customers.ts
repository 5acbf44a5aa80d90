import { type Static, Type } from 'typebox'
import { runBatched } from '#kit/batcher'
import { defineJob, type JobOutcome, type QueuedJob } from '#kit/jobs'
import type { Database } from '#kit/postgres'
import type { Connector, PlatformCustomer, PlatformFailure, PlatformResult } from '#platform'
import { listProfilesToPush, type ProfilePushed, type ProfileToPush, settleProfiles } from './push-profiles.ts'

type Deps = { db: Database; connectorOf: (storeId: number) => Promise<Connector> }

const PushCustomer = Type.Object({ memberId: Type.Integer() })

/** Pushes a member's changed name or address to the platform. */
export const pushCustomerJob = defineJob(
  'push-customer',
  PushCustomer,
  { dedupe: ({ memberId }) => memberId },
  pushCustomers
)

/**
 * Pushes changed names and e-mail addresses to the platform, and stores the values that the platform then has. Where it refuses a
 * value for good (the address is invalid or another customer's), the member gets the platform's value back.
 */
export async function pushCustomers(
  { db, connectorOf }: Deps,
  storeId: number,
  jobs: QueuedJob<Static<typeof PushCustomer>>[]
): Promise<JobOutcome[]> {
  const connector = await connectorOf(storeId)
  const wanted = jobs.map(({ input }) => input.memberId)
  const pushes = await db.inStore(storeId, (ctx) => listProfilesToPush(ctx, wanted))
  const failures = new Map<number, string>()

  /** Stores the results of pushes, independent of each other. Returns those whose result is older than the stored profile. */
  const settle = async (pushed: ProfilePushed[]): Promise<ProfileToPush[]> => {
    const outcomes = await runBatched(pushed, (some) => db.inStore(storeId, (ctx) => settleProfiles(ctx, some)))
    return pushed.flatMap(({ push }, i) => {
      const outcome = outcomes[i]!
      if (outcome.status === 'rejected') failures.set(push.memberId, (outcome.reason as Error).message)
      return outcome.status === 'fulfilled' && outcome.value === 'stale' ? [push] : []
    })
  }

  const accepted: ProfilePushed[] = []
  const refused: ProfileToPush[] = []
  for (const [push, result] of await pushAll(connector, pushes)) {
    if (result.ok) accepted.push({ push, reported: result.value })
    else if (result.failure.kind === 'rejected') refused.push(push)
    else failures.set(push.memberId, result.failure.message)
  }
  const unsure = [...refused, ...(await settle(accepted))]
  if (unsure.length > 0) {
    const customers = await connector.customers.findMany(unsure.map((push) => push.platformCustomerId))
    if (customers.ok) {
      const reportedOf = (push: ProfileToPush) => customers.value.get(push.platformCustomerId) ?? null
      for (const { memberId } of await settle(unsure.map((push) => ({ push, reported: reportedOf(push) })))) {
        failures.set(memberId, 'The customer changed on the platform meanwhile; it is read again')
      }
    } else for (const { memberId } of unsure) failures.set(memberId, customers.failure.message)
  }
  return wanted.map((memberId): JobOutcome => {
    const reason = failures.get(memberId)
    return reason === undefined ? { done: true } : { done: false, reason }
  })
}

/** Pushes each change. Where the platform refuses one field of several, pushes the others again without it. */
async function pushAll(connector: Connector, pushes: ProfileToPush[]) {
  const resultOf = new Map<ProfileToPush, PlatformResult<PlatformCustomer>>()
  let open = pushes.map((push) => ({ push, fields: push.changed }))
  while (open.length > 0) {
    const results = await connector.customers.update(
      open.map(({ push, fields }) => ({ id: push.platformCustomerId, ...fields }))
    )
    open = open.flatMap(({ push, fields }, i) => {
      const result = results[i]!
      resultOf.set(push, result)
      const rest = result.ok ? null : withoutRefused(fields, result.failure)
      return rest ? [{ push, fields: rest }] : []
    })
  }
  return resultOf
}

type Fields = ProfileToPush['changed']

/** Null when the failure names none of the fields (`email` or `input.email`), or nothing remains. */
function withoutRefused(fields: Fields, { kind, field }: PlatformFailure): Fields | null {
  const refused = field?.split('.').at(-1)
  const rest = Object.entries(fields).filter(([name]) => name !== refused)
  const isNamed = rest.length < Object.keys(fields).length
  return kind === 'rejected' && isNamed && rest.length > 0 ? Object.fromEntries(rest) : null
}
