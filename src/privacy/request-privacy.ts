import type { Person } from '#kit/personal-data'
import { type Ctx, int, row, sql } from '#kit/postgres'
import { invalidField, Refusal } from '#kit/refusal'
import type { CustomerReference } from '#members'
import { findPerson } from './find-person.ts'
import { insertRequest } from './queries.ts'
import type { Subject } from './request.ts'

/** Who an operator's request is about: a customer by one of their ids or their address, a phone, or both. */
export type NamedPerson = { customer: CustomerReference | null; phone: string | null }

/**
 * Has everything about a person handed out or erased, as the platform's own requests do. Returns the number of the request, and of how many
 * customers it is: none where only texts and orders can have the address or phone, or where it was mistyped.
 */
export async function requestPrivacy(
  ctx: Ctx,
  wanted: NamedPerson & { topic: 'customers/data_request' | 'customers/redact'; endSubscriptions: boolean }
): Promise<{ id: number; customersFound: number }> {
  const subject = await subjectOf(ctx, wanted)
  const { person } = await findPerson(ctx, subject)
  if (wanted.topic === 'customers/redact' && !wanted.endSubscriptions) await refuseWhileSubscribed(ctx, person)
  const { topic } = wanted
  const id = await insertRequest(ctx, { topic, source: 'operator', platformRequestId: null, subject, refusedFor: null })
  return { id, customersFound: person.memberIds.length }
}

async function subjectOf(ctx: Ctx, { customer, phone }: NamedPerson): Promise<Subject> {
  if (customer === null && phone === null) throw invalidField('customer', 'must be given, or else phone')
  const { memberId = null, platformId = null, email = null } = customer ?? {}
  if (memberId !== null && !(await isKnown(ctx, memberId)))
    throw invalidField('customer', 'must be a customer of the store', 'not_found')
  return { customerId: platformId, memberId, email, phone, orderNumbers: [] }
}

const isKnown = async ({ tx, storeId }: Ctx, id: number): Promise<boolean> =>
  (await tx.maybeOne(row({ id: int }), sql`select id from members where store_id = ${storeId} and id = ${id}`)) !== null

/** Nobody loses a membership by a typing error. */
async function refuseWhileSubscribed(ctx: Ctx, person: Person): Promise<void> {
  const { count } = await ctx.tx.one(
    row({ count: int }),
    sql`
    select count(*) as count from subscriptions
     where store_id = ${ctx.storeId} and id = any(${person.subscriptionIds}::bigint[]) and status in ('active', 'paused')`
  )
  if (count === 0) return
  throw new Refusal(
    'conflict',
    `The customer has ${count} running ${count === 1 ? 'subscription' : 'subscriptions'}, which would end at once: say end_subscriptions where that is wanted`
  )
}
