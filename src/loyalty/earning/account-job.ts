import { Type } from 'typebox'
import { defineJob, enqueue } from '#kit/jobs'
import { type Ctx, type Database, int, row, sql } from '#kit/postgres'
import { countDeeds } from './count-deeds.ts'

const BATCH = 500

/** Counts the accounts that are there already, for rules that are for those too, a batch in a run. */
export const countAccountsJob = defineJob(
  'count-loyalty-accounts',
  Type.Object({ after: Type.Integer() }),
  { priority: 'low', dedupe: () => 'all' },
  ({ db }: { db: Database }, storeId, jobs) =>
    Promise.all(
      jobs.map(({ input, renewLease }) =>
        db.inStore(storeId, async (ctx) => {
          await renewLease(ctx)
          const memberIds = await listAccountsAfter(ctx, input.after)
          await countDeeds(
            ctx,
            memberIds.map((memberId) => ({
              ...{ memberId, cause: { kind: 'account', isPast: true }, key: 'account' },
              ...{ at: ctx.now, orderId: null, ruleId: null }
            }))
          )
          return memberIds.length < BATCH
            ? { done: true as const }
            : { done: false as const, continues: true as const, input: { after: memberIds.at(-1)! } }
        })
      )
    )
)

export const countAccounts = (ctx: Ctx): Promise<void> => enqueue(ctx, countAccountsJob, [{ after: 0 }])

async function listAccountsAfter(ctx: Ctx, after: number): Promise<number[]> {
  const rows = await ctx.tx.many(
    row({ id: int }),
    sql`
    select id from members
     where store_id = ${ctx.storeId} and id > ${after} and account_state = 'enabled' and merged_into is null
       and platform_deleted_at is null and erased_at is null
     order by id limit ${BATCH}`
  )
  return rows.map(({ id }) => id)
}
