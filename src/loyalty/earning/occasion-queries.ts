import { bool, type Ctx, int, row, sql } from '#kit/postgres'

type Page = { afterId: number; limit: number; timezone: string }

/** A birthday that was rewarded so short ago is not rewarded again, whatever birth date was entered since. */
const DAYS_BETWEEN_BIRTHDAYS = 300

/** Whose birthday it is, in order of id. Who was born on 29 February has it on the 28th in other years. */
export async function listBirthdays(ctx: Ctx, day: Temporal.PlainDate, { afterId, limit }: Page): Promise<number[]> {
  const since = lastYear(ctx)
  const rows = await ctx.tx.many(
    row({ id: int }),
    sql`
    select m.id from members m
     where m.store_id = ${ctx.storeId} and m.birth_date is not null and m.id > ${afterId}
       and (extract(month from m.birth_date) * 100 + extract(day from m.birth_date))::int = any(${daysOf(day)}::int[])
       and m.merged_into is null and m.platform_deleted_at is null and m.erased_at is null
       and not exists (select from loyalty_counts c where c.store_id = ${ctx.storeId} and c.member_id = m.id
                          and c.cause like 'birthday:%' and c.counted_at > ${since})
     order by m.id limit ${limit}`
  )
  return rows.map(({ id }) => id)
}

const lastYear = ({ now }: Ctx) => now.subtract({ hours: 24 * DAYS_BETWEEN_BIRTHDAYS })

/** Those of these customers whose birthday was rewarded within the last year. */
export async function listRewardedBirthdays(ctx: Ctx, memberIds: number[]): Promise<Set<number>> {
  if (memberIds.length === 0) return new Set()
  const rows = await ctx.tx.many(
    row({ memberId: int }),
    sql`
    select distinct member_id from loyalty_counts
     where store_id = ${ctx.storeId} and member_id = any(${memberIds}::bigint[]) and cause like 'birthday:%'
       and counted_at > ${lastYear(ctx)}`
  )
  return new Set(rows.map(({ memberId }) => memberId))
}

/** Whether a day is the birthday of who was born on `birthDate`. */
export const isBirthday = (birthDate: Temporal.PlainDate, day: Temporal.PlainDate): boolean =>
  daysOf(day).includes(birthDate.month * 100 + birthDate.day)

/** Who became a member on this day of an earlier year and has a membership that is active, in order of id. */
export async function listAnniversaries(
  ctx: Ctx,
  day: Temporal.PlainDate,
  { afterId, limit, timezone }: Page
): Promise<number[]> {
  const rows = await ctx.tx.many(
    row({ id: int }),
    sql`
    select m.id from members m
     where m.store_id = ${ctx.storeId} and m.member_since is not null and m.status = 'active' and m.id > ${afterId}
       and (extract(month from m.member_since at time zone 'UTC') * 100 + extract(day from m.member_since at time zone 'UTC'))::int
             = any(${near(day)}::int[])
       and to_char(m.member_since at time zone ${timezone}, 'MMDD')::int = any(${daysOf(day)}::int[])
       and (m.member_since at time zone ${timezone})::date < ${day}
       and exists (
             select from subscriptions s join plans p on p.store_id = ${ctx.storeId} and p.id = s.plan_id and p.type <> 'product'
              where s.store_id = ${ctx.storeId} and s.status = 'active'
                and (s.member_id = m.id or s.receiver_member_id = m.id) and coalesce(s.receiver_member_id, s.member_id) = m.id)
     order by m.id limit ${limit}`
  )
  return rows.map(({ id }) => id)
}

/** So many days are looked at for the next occasion. */
const DAYS_AHEAD = 31

/** The first day from `first` on that may be somebody's birthday or anniversary; at the latest the one after those that are looked at. */
export async function findNextOccasion(ctx: Ctx, first: Temporal.PlainDate): Promise<Temporal.PlainDate> {
  const days = Array.from({ length: DAYS_AHEAD }, (_, i) => first.add({ days: i }))
  const numbers = [...new Set([first.subtract({ days: 1 }), ...days, first.add({ days: DAYS_AHEAD })].flatMap(daysOf))]
  const rows = await ctx.tx.many(
    row({ number: int, isBirthday: bool, isAnniversary: bool }),
    sql`
    select d.number,
           exists (select from members m
                    where m.store_id = ${ctx.storeId} and m.birth_date is not null
                      and (extract(month from m.birth_date) * 100 + extract(day from m.birth_date))::int = d.number) as is_birthday,
           exists (select from members m
                    where m.store_id = ${ctx.storeId} and m.member_since is not null and m.status = 'active'
                      and (extract(month from m.member_since at time zone 'UTC') * 100
                           + extract(day from m.member_since at time zone 'UTC'))::int = d.number) as is_anniversary
      from unnest(${numbers}::int[]) as d(number)`
  )
  const birthdays = new Set(rows.flatMap(({ number, isBirthday }) => (isBirthday ? [number] : [])))
  const anniversaries = new Set(rows.flatMap(({ number, isAnniversary }) => (isAnniversary ? [number] : [])))
  const found = days.find(
    (day) =>
      daysOf(day).some((number) => birthdays.has(number)) || near(day).some((number) => anniversaries.has(number))
  )
  return found ?? first.add({ days: DAYS_AHEAD })
}

/** The day in UTC may be the one before or after that of the shop. */
const near = (day: Temporal.PlainDate): number[] => [-1, 0, 1].flatMap((days) => daysOf(day.add({ days })))

/** The day as a number, such as 131 for 31 January; the last day of February is also the 29th where there is none. */
function daysOf(day: Temporal.PlainDate): number[] {
  const number = day.month * 100 + day.day
  return number === 228 && !day.inLeapYear ? [228, 229] : [number]
}
