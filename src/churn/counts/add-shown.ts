import { type Ctx, sql } from '#kit/postgres'
import { storeContext } from '#stores'
import type { ReasonAlias } from '../reasons/reasons.ts'

/** How often an offer was shown for a reason. `offerId` 0: the reason was shown without one. */
export type ShownTimes = { alias: ReasonAlias; offerId: number; times: number }

/** Adds to the counts of today in the shop. To whom an offer was shown is recorded nowhere. */
export async function addShown(ctx: Ctx, shown: ShownTimes[]): Promise<void> {
  if (shown.length === 0) return
  const { timezone } = await storeContext(ctx)
  const day = ctx.now.toZonedDateTimeISO(timezone).toPlainDate()
  await ctx.tx.run(sql`
    insert into churn_shown as c (store_id, day, alias, offer_id, times)
    select ${ctx.storeId}, ${day}::date, s.alias, s.offer_id, s.times
      from unnest(${shown.map((s) => s.alias)}::text[], ${shown.map((s) => s.offerId)}::bigint[],
                  ${shown.map((s) => s.times)}::bigint[]) as s(alias, offer_id, times)
     order by s.alias, s.offer_id
    on conflict (store_id, day, alias, offer_id) do update set times = c.times + excluded.times`)
}
