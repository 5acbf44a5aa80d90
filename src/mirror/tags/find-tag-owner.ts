import { type Ctx, int, row, sql } from '#kit/postgres'
import { findCustomerId, parseCustomerId } from '#members'
import { gid, type TaggedKind } from '#platform'
import type { PlatformProfileName } from '#stores'
import { ownerNotFound } from '../refusals.ts'
import type { TagOwner } from './wanted-tags.ts'

/** A customer by `cust_…`, the platform's number or its global id, or an order by the latter two. Refuses one that is not here. */
export async function findTagOwner(
  ctx: Ctx,
  kind: TaggedKind,
  given: string,
  profile: PlatformProfileName
): Promise<TagOwner> {
  const ownerId =
    kind === 'customer'
      ? await findCustomerId(ctx, parseCustomerId(given, profile))
      : await findOrderId(ctx, given, profile)
  if (ownerId === null) throw ownerNotFound(kind, given)
  return { kind, ownerId }
}

async function findOrderId(ctx: Ctx, given: string, profile: PlatformProfileName): Promise<number | null> {
  const prefix = gid(profile, 'Order', '')
  const number = given.startsWith(prefix) ? given.slice(prefix.length) : given
  const found = await ctx.tx.maybeOne(
    row({ id: int }),
    sql`select id from orders where store_id = ${ctx.storeId} and platform_order_id = ${number}`
  )
  return found?.id ?? null
}
