import { record } from '#kit/outbox'
import type { Ctx } from '#kit/postgres'
import { storeContext } from '#stores'
import { type CustomerUpdate, type KnownCustomer, truncateFields } from './customer.ts'
import { memberUpdated } from './events/member-updated.ts'
import { changesBetween } from './profile.ts'
import { insertMissingCustomers, listMemberSnapshots, lockCustomers, updateCustomers } from './queries.ts'

/**
 * Inserts or updates customers that the platform reported, and returns them by the platform's id. A change of a member's public
 * fields is recorded as member.updated. An update that is older than the stored one changes nothing.
 */
export async function upsertCustomers(ctx: Ctx, customers: CustomerUpdate[]): Promise<Map<string, KnownCustomer>> {
  const wanted = newestOfEach(customers)
  await insertMissingCustomers(ctx, [...wanted.values()])
  const before = await lockCustomers(ctx, [...wanted.keys()])
  const after = await updateCustomers(ctx, [...wanted.values()])

  const known = new Map([...before, ...after].map((customer) => [customer.platformCustomerId, customer]))
  const old = new Map(before.map((customer) => [customer.id, customer]))
  const changes = new Map(
    after.flatMap((customer) => {
      const was = old.get(customer.id)
      const changed = was && customer.status !== null && changesBetween(was, customer)
      return changed ? [[customer.id, changed] as const] : []
    })
  )
  if (changes.size > 0) {
    const store = await storeContext(ctx)
    const members = await listMemberSnapshots(ctx, [...changes.keys()])
    await record(ctx, ...members.map((member) => memberUpdated(member, changes.get(member.id)!, store)))
  }
  return known
}

/** The newest of several updates of one customer. */
function newestOfEach(customers: CustomerUpdate[]): Map<string, CustomerUpdate> {
  const newest = new Map<string, CustomerUpdate>()
  for (const customer of customers) {
    const at = newest.get(customer.id)?.updatedAt
    if (at && customer.updatedAt && Temporal.Instant.compare(customer.updatedAt, at) < 0) continue
    newest.set(customer.id, truncateFields(customer))
  }
  return newest
}
