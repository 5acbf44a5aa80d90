import { consumer, type StoredFact } from '#kit/outbox'
import { type Ctx, int, row, sql } from '#kit/postgres'
import { refreshCustomerTags } from './refresh-customer-tags.ts'
import { refreshTierTags } from './tier-tags-job.ts'

/** The facts after which somebody may hold another membership or be in another tier of loyalty. A renewal is none of them. */
const TAG_FACTS = [
  'member.created',
  'member.tier_changed',
  'member.updated',
  'subscription.created',
  'subscription.activated',
  'subscription.paused',
  'subscription.resumed',
  'subscription.cancelled',
  'subscription.updated',
  'loyalty_tier.changed'
] as const

/** Of members from before it was added there are owners after the first walk over all of them. */
export const tagConsumer = consumer('tags', TAG_FACTS, refreshTagsOfFacts, { from: 'now' })

/** It reads what is true now, so that a repeated fact changes nothing. */
async function refreshTagsOfFacts(ctx: Ctx, facts: StoredFact[]): Promise<void> {
  // The tier may have another tag.
  if (facts.some(({ name }) => name === 'loyalty_tier.changed')) await refreshTierTags(ctx)
  const subscriptionIds = facts.flatMap(({ refs }) => refs.subscriptionId ?? [])
  const named = facts.flatMap(({ refs, data }) => [...(refs.memberId ? [refs.memberId] : []), ...receiversIn(data)])
  await refreshCustomerTags(ctx, [...named, ...(await listReceivers(ctx, subscriptionIds))])
}

/** Who had a gift before or has it now: the one who lost it is no longer on the subscription. */
function receiversIn(data: string): number[] {
  if (!data.includes('"receiver"')) return []
  const { receiver } =
    (JSON.parse(data) as { changes?: { receiver?: { from: string | null; to: string | null } } }).changes ?? {}
  return [receiver?.from, receiver?.to].flatMap((id) => (id ? [Number(id.slice(id.indexOf('_') + 1))] : []))
}

async function listReceivers(ctx: Ctx, subscriptionIds: number[]): Promise<number[]> {
  if (subscriptionIds.length === 0) return []
  const rows = await ctx.tx.many(
    row({ receiver: int }),
    sql`
    select receiver_member_id as receiver from subscriptions
     where store_id = ${ctx.storeId} and id = any(${subscriptionIds}::bigint[]) and receiver_member_id is not null`
  )
  return rows.map(({ receiver }) => receiver)
}
