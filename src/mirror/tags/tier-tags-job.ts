import { Type } from 'typebox'
import { defineJob, enqueue } from '#kit/jobs'
import type { Ctx, Database } from '#kit/postgres'
import { listTierCustomers } from '#loyalty'
import { refreshCustomerTags } from './refresh-customer-tags.ts'

const BATCH = 500

/** Records the tags that customers of tiers are to have now, a batch in a run: a tier has another tag, or tiers are on or off. */
export const refreshTierTagsJob = defineJob(
  'refresh-tier-tags',
  Type.Object({ after: Type.Integer() }),
  { priority: 'low', dedupe: () => 'all' },
  ({ db }: { db: Database }, storeId, jobs) =>
    Promise.all(
      jobs.map(({ input, renewLease }) =>
        db.inStore(storeId, async (ctx) => {
          await renewLease(ctx)
          const memberIds = await listTierCustomers(ctx, { after: input.after, limit: BATCH })
          await refreshCustomerTags(ctx, memberIds)
          return memberIds.length < BATCH
            ? { done: true as const }
            : { done: false as const, continues: true as const, input: { after: memberIds.at(-1)! } }
        })
      )
    )
)

export const refreshTierTags = (ctx: Ctx): Promise<void> => enqueue(ctx, refreshTierTagsJob, [{ after: 0 }])
