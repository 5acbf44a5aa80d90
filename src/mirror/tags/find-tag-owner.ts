import type { Ctx } from '#kit/postgres'
import { findCustomerId, parseCustomerId } from '#members'
import { findOrderId } from '#orders'
import type { TaggedKind } from '#platform'
import type { PlatformProfileName } from '#stores'
import { ownerNotFound } from '../refusals.ts'
import type { TagOwner } from './wanted-tags.ts'

/** A customer or an order by our id (`cust_7`, `ord_7`), the platform's number or its global id. Refuses one that is not here. */
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
