import type { Person } from '#kit/personal-data'
import { bool, type Ctx, row, sql, text } from '#kit/postgres'
import { endForDeletedCustomers, revokeGiftsToDeleted } from '#lifecycle'
import { eraseCustomers, lockMembers } from '#members'
import { withdrawMetafields, withdrawTags } from '#mirror'
import { rememberErased } from '#platform'
import { listGoogleSerials } from '#wallet'
import { findPerson } from './find-person.ts'
import { type DueRequest, markRunning } from './queries.ts'

/**
 * The part of an erasure that counts at once, in one transaction: from its commit on nothing is charged, no report brings the person back,
 * nothing of them is written on the platform, and their row names nobody. What else there is about them is looked for afterwards, and others
 * are asked to delete what they have: not before, since it would be written again. It may have to wait, and says why: a charge or a contract
 * is under way at the platform, whose answer has to find its row (only while `isPatient`).
 */
export async function beginErasure(
  ctx: Ctx,
  request: DueRequest,
  { isPatient = true } = {}
): Promise<{ waits: string } | null> {
  const { asked, person: before, tags = [], googleSerials = [] } = request.subject!
  const first = await findPerson(ctx, asked)
  await lockMembers(ctx, first.person.memberIds)
  // A merge may have been under way.
  const found = await findPerson(ctx, asked)
  const person = before ? both(before, found.person) : found.person
  const waits = isPatient ? await whyItWaits(ctx, person) : null
  if (waits !== null) return { waits }
  await rememberErased(
    ctx,
    [
      ...person.customerIds.map((id) => `customer:${id}` as const),
      ...person.orderNumbers.map((id) => `order:${id}` as const)
    ],
    found.mainId
  )
  await withdrawMetafields(ctx, person.memberIds)
  const known = new Set(before?.memberIds)
  const ourTags = await withdrawTags(
    ctx,
    person.memberIds.filter((id) => !known.has(id))
  )
  await revokeGiftsToDeleted(ctx, person.customerIds)
  // Before the agreements end, so that what is recorded of that names nobody.
  await eraseCustomers(ctx, person.memberIds)
  await endForDeletedCustomers(ctx, await contractsOf(ctx, person))
  const serials = await listGoogleSerials(ctx, person.memberIds)
  const held = {
    tags: [...new Set([...tags, ...ourTags])],
    googleSerials: [...new Set([...googleSerials, ...serials])]
  }
  await markRunning(ctx, request.id, { asked, person, ...held }, found.mainId)
  return null
}

/** What was known of the person when it began, and what has come since. */
const both = (one: Person, other: Person): Person =>
  Object.fromEntries(
    Object.entries(one).map(([field, values]) => [
      field,
      [...new Set<unknown>([...values, ...other[field as keyof Person]])]
    ])
  ) as Person

async function contractsOf(ctx: Ctx, { subscriptionIds }: Person): Promise<string[]> {
  const rows = await ctx.tx.many(
    row({ id: text }),
    sql`
    select platform_contract_id as id from subscriptions
     where store_id = ${ctx.storeId} and id = any(${subscriptionIds}::bigint[]) order by id`
  )
  return rows.map(({ id }) => id)
}

async function whyItWaits(ctx: Ctx, { subscriptionIds, customerIds }: Person): Promise<string | null> {
  const { isCharging, isCreating } = await ctx.tx.one(
    row({ isCharging: bool, isCreating: bool }),
    sql`
    select exists (select from billing_attempts a
                    where a.store_id = ${ctx.storeId} and a.subscription_id = any(${subscriptionIds}::bigint[])
                      and a.status = 'pending' and a.submitted_at is not null) as is_charging,
           exists (select from subscription_creations c
                    where c.store_id = ${ctx.storeId} and c.platform_customer_id = any(${customerIds}::text[])
                      and c.answered_at is null and c.abandoned_at is null)
           or exists (select from import_rows r
                       where r.store_id = ${ctx.storeId} and r.platform_customer_id = any(${customerIds}::text[])
                         and r.status = 'creating') as is_creating`
  )
  if (isCharging) return 'A charge is under way at the platform'
  return isCreating ? 'A contract is being made at the platform' : null
}
