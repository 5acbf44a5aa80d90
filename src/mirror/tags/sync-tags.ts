import type { Ctx } from '#kit/postgres'
import { refreshCustomerTags } from './refresh-customer-tags.ts'
import { markDue } from './tag-queries.ts'
import { walkTagsNow } from './tag-walks.ts'
import type { TagOwner } from './wanted-tags.ts'

/** Has the tags of one owner compared with the platform now and corrected, or those of all owners of the store. */
export async function syncTags(ctx: Ctx, owner: TagOwner | null): Promise<void> {
  if (!owner) return walkTagsNow(ctx)
  if (owner.kind === 'customer') await refreshCustomerTags(ctx, [owner.ownerId])
  await markDue(ctx, [owner])
}
