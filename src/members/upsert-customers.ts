import { record } from '#kit/outbox'
import type { Ctx } from '#kit/postgres'
import { storeContext } from '#stores'
import { type CustomerUpdate, type KnownCustomer, truncateFields } from './customer.ts'
import { findErasedCustomers } from './erased-customers.ts'
import { customerChanged } from './events/customer-changed.ts'
import { memberUpdated } from './events/member-updated.ts'
import { changesBetween, type ProfileChanges } from './profile.ts'
import { insertMissingCustomers, listMemberSnapshots, lockCustomers, updateCustomers } from './queries.ts'

/**
 * Inserts or updates customers that the platform reported, and returns them by the platform's id. A change of a member's public
 * fields is recorded as member.updated. An update that is older than the stored one changes nothing. Of customers who were erased nothing
 * is stored: their rows without the person are returned.
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
      const changed = was && changesBetween(was, customer)
      return changed ? [[customer.id, changed] as const] : []
    })
  )
  await recordChanges(ctx, after, changes)
  if (known.size === wanted.size) return known
  const missing = [...wanted.keys()].filter((id) => !known.has(id))
  return new Map([...known, ...(await findErasedCustomers(ctx, missing))])
}

async function recordChanges(ctx: Ctx, after: KnownCustomer[], changes: Map<number, ProfileChanges>): Promise<void> {
  const changed = after.filter(({ id }) => changes.has(id))
  const members = changed.filter(({ status }) => status !== null).map(({ id }) => id)
  if (members.length > 0) {
    const store = await storeContext(ctx)
    const snapshots = await listMemberSnapshots(ctx, members)
    await record(ctx, ...snapshots.map((member) => memberUpdated(member, changes.get(member.id)!, store)))
  }
  const others = changed.filter(({ status }) => status === null)
  if (others.length > 0) await record(ctx, ...others.map(customerChanged))
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
