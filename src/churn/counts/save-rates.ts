import { type Ctx, int, nullable, oneOf, row, sql, text } from '#kit/postgres'
import { storeContext } from '#stores'
import { REASON_ALIASES } from '../reasons/reasons.ts'

const SaveRateRow = row({
  month: text,
  reason: nullable(oneOf(...REASON_ALIASES)),
  offerId: nullable(int),
  offerName: nullable(text),
  shown: int,
  accepted: int,
  due30: int,
  stayed30: int,
  due60: int,
  stayed60: int,
  due90: int,
  stayed90: int
})

/** Of the offers that were accepted so many days of 24 hours ago, how many there are, and how many of their contracts had not ended by then. */
type Stayed = { accepted: number; active: number }

/** What came of an offer for a reason in a month. */
export type SaveRate = {
  /** Of the shop: `2026-11`. */
  month: string
  /** Null: a program did not say for which it was accepted. */
  reason: (typeof REASON_ALIASES)[number] | null
  /** Null: the reason was shown without an offer. */
  offerId: number | null
  offerName: string | null
  shown: number
  accepted: number
  after30: Stayed
  after60: Stayed
  after90: Stayed
}

/** Of the last `months` months of the shop, the present one included: the newest first, then by reason and offer. */
export async function listSaveRates(ctx: Ctx, months: number): Promise<SaveRate[]> {
  const { timezone } = await storeContext(ctx)
  const firstDay = firstDayOf(ctx.now, months, timezone)
  const rows = await ctx.tx.many(
    SaveRateRow,
    sql`
    select to_char(n.month, 'YYYY-MM') as month, n.reason, nullif(n.offer_id, 0) as offer_id, o.name as offer_name,
           sum(n.shown)::bigint as shown, sum(n.accepted)::bigint as accepted,
           sum(n.due30)::bigint as due30, sum(n.stayed30)::bigint as stayed30,
           sum(n.due60)::bigint as due60, sum(n.stayed60)::bigint as stayed60,
           sum(n.due90)::bigint as due90, sum(n.stayed90)::bigint as stayed90
      from (select date_trunc('month', c.day::timestamp) as month, c.alias as reason, c.offer_id, sum(c.times) as shown, 0 as accepted,
                   0 as due30, 0 as stayed30, 0 as due60, 0 as stayed60, 0 as due90, 0 as stayed90
              from churn_shown c where c.store_id = ${ctx.storeId} and c.day >= ${firstDay}::date
             group by 1, 2, 3
            union all
            select date_trunc('month', a.accepted_at at time zone ${timezone}::text), a.reason, a.offer_id, 0, count(*),
                   count(*) filter (where a.age >= interval '720 hours'), count(*) filter (where least(a.age, a.lived) >= interval '720 hours'),
                   count(*) filter (where a.age >= interval '1440 hours'), count(*) filter (where least(a.age, a.lived) >= interval '1440 hours'),
                   count(*) filter (where a.age >= interval '2160 hours'), count(*) filter (where least(a.age, a.lived) >= interval '2160 hours')
              from (select accepted_at, reason, offer_id, ${ctx.now}::timestamptz - accepted_at as age,
                           coalesce(lost_at, ${ctx.now}::timestamptz) - accepted_at as lived
                      from contract_offers
                     where store_id = ${ctx.storeId} and status <> 'applying'
                       and accepted_at >= ${firstDay}::timestamp at time zone ${timezone}::text) a
             group by 1, 2, 3) n
      left join churn_offers o on o.store_id = ${ctx.storeId} and o.id = n.offer_id
     group by n.month, n.reason, n.offer_id, o.name`
  )
  return rows.map(withStayed).sort(inOrder)
}

/** The first day of the oldest of so many months. */
const firstDayOf = (now: Temporal.Instant, months: number, timezone: string) =>
  now
    .toZonedDateTimeISO(timezone)
    .toPlainDate()
    .with({ day: 1 })
    .subtract({ months: months - 1 })

function withStayed({
  due30,
  stayed30,
  due60,
  stayed60,
  due90,
  stayed90,
  ...rest
}: ReturnType<typeof SaveRateRow>): SaveRate {
  return {
    ...rest,
    after30: { accepted: due30, active: stayed30 },
    after60: { accepted: due60, active: stayed60 },
    after90: { accepted: due90, active: stayed90 }
  }
}

const placeOf = ({ reason }: SaveRate) => (reason === null ? REASON_ALIASES.length : REASON_ALIASES.indexOf(reason))

const inOrder = (a: SaveRate, b: SaveRate): number =>
  b.month.localeCompare(a.month) || placeOf(a) - placeOf(b) || (a.offerId ?? 0) - (b.offerId ?? 0)
