import { randomInt } from 'node:crypto'
import { type Ctx, int, row, sql } from '#kit/postgres'
import { findErased, rememberErased, type Subject } from '#platform'
import type { KnownCustomer } from './customer.ts'
import { listCustomers } from './queries.ts'

/**
 * The rows without a person of those among these customers (numbers of the platform) who were erased. One who had no row gets one, since
 * something of theirs refers to it.
 */
export async function findErasedCustomers(ctx: Ctx, platformIds: string[]): Promise<Map<string, KnownCustomer>> {
  const erased = await findErased(
    ctx,
    platformIds.map((id) => `customer:${id}` as const)
  )
  const rows = new Map<string, number>()
  for (const [subject, { memberId }] of erased) {
    rows.set(subject.slice('customer:'.length), memberId ?? (await insertNobody(ctx, subject)))
  }
  const known = new Map((await listCustomers(ctx, [...rows.values()])).map((customer) => [customer.id, customer]))
  return new Map([...rows].map(([id, memberId]) => [id, known.get(memberId)!]))
}

/** A row of somebody of whom nothing is known but that they were erased. */
async function insertNobody(ctx: Ctx, subject: Subject): Promise<number> {
  const forNow = `00${randomInt(2 ** 47)}`
  const { id } = await ctx.tx.one(
    row({ id: int }),
    sql`
    insert into members (store_id, platform_customer_id, created_at, updated_at, platform_deleted_at, erased_at)
    values (${ctx.storeId}, ${forNow}, ${ctx.now}, ${ctx.now}, ${ctx.now}, ${ctx.now})
    returning id`
  )
  await ctx.tx.run(sql`
    update members set platform_customer_id = '0' || id where store_id = ${ctx.storeId} and id = ${id}`)
  await rememberErased(ctx, [subject], id)
  return id
}
