import { dueQuery, type LeaseRelease } from '#kit/engines'
import { bool, type Ctx, directSql, int, json, nullable, type RowOf, row, sql, text, textList } from '#kit/postgres'
import { storableError } from '#kit/storable-json'
import { retryMinutes } from '#kit/walks'
import { type ProgramTerms, readWantedTerms } from './program.ts'

/** The price of a free product may change. */
const LOOK_AGAIN_HOURS = 24

/** Has the engine compare what is wanted with the platform now. Where a rule for referrals was never seen, nothing is kept. */
export async function askForReferrals(ctx: Ctx): Promise<void> {
  await ctx.tx.run(sql`
    update loyalty_referral_programs set next_at = statement_timestamp(), is_asked = true, failures = 0
     where store_id = ${ctx.storeId}`)
}

/** The same after the app has got more rights: what was refused is asked for again too. */
export async function retryDeniedReferrals(ctx: Ctx): Promise<void> {
  await ctx.tx.run(sql`
    update loyalty_referral_programs
       set next_at = statement_timestamp(), is_asked = true, failures = 0, rests_until = null, problem = null
     where store_id = ${ctx.storeId}`)
}

/** The same from the first rule for referrals on. */
export async function beginReferrals(ctx: Ctx): Promise<void> {
  await ctx.tx.run(sql`
    insert into loyalty_referral_programs (store_id, next_at) values (${ctx.storeId}, statement_timestamp())
    on conflict (store_id) do update set next_at = excluded.next_at, is_asked = true, failures = 0`)
}

const Program = row({
  leaseToken: int,
  failures: int,
  applied: nullable(json<ProgramTerms>()),
  baseCode: text,
  discountId: nullable(text),
  productIds: textList,
  additionId: nullable(text),
  asked: int,
  isStuck: bool
})
/**
 * The discount of a store's codes, while this process works on it. `applied`: what the platform has; null where that is not known. `isStuck`:
 * the platform has refused exactly what is wanted.
 */
export type Program = RowOf<typeof Program> & { wanted: ProgramTerms }

/** Leases the program that is due, with what the rules want now; null where none is. */
export async function claimProgram(ctx: Ctx, leaseOwner: number, leaseMs: number): Promise<Program | null> {
  if (ctx.isRestored) return null
  const due = await ctx.tx.maybeOne(
    row({ leaseToken: int }),
    sql`
    select lease_token from loyalty_referral_programs
     where store_id = ${ctx.storeId} and next_at <= statement_timestamp()
       and (leased_until is null or leased_until < statement_timestamp())
       and (rests_until is null or rests_until < statement_timestamp())
       for update skip locked`
  )
  if (!due) return null
  const wanted = await readWantedTerms(ctx)
  const json = JSON.stringify(wanted)
  const claimed = await ctx.tx.one(
    Program,
    sql`
    update loyalty_referral_programs
       set lease_token = lease_token + 1, lease_owner = ${leaseOwner},
           leased_until = statement_timestamp() + ${leaseMs} * interval '1 millisecond', is_asked = false,
           problem = case when wanted = ${json}::jsonb then problem end, wanted = ${json}::jsonb
     where store_id = ${ctx.storeId}
    returning lease_token, failures, applied, base_code, platform_discount_id as discount_id, product_ids, addition_id, asked,
              problem is not null as is_stuck`
  )
  return { ...claimed, wanted }
}

type Lease = Pick<Program, 'leaseToken'>

export async function extendProgram({ tx, storeId }: Ctx, { leaseToken }: Lease, leaseMs: number): Promise<boolean> {
  const extended = await tx.run(sql`
    update loyalty_referral_programs set leased_until = statement_timestamp() + ${leaseMs} * interval '1 millisecond'
     where store_id = ${storeId} and lease_token = ${leaseToken} and lease_owner is not null`)
  return extended === 1
}

/** What is recorded while the work goes on. What is left out stays. */
export type ProgramNews = {
  /** Null: nobody knows, since a call that changes it may be under way. */
  applied?: ProgramTerms | null
  discountId?: string
  productIds?: string[]
  problem?: string
  additionId?: string | null
  asked?: number
}

/** Records what the work came to so far; false when another process has the program. */
export async function writeProgram(ctx: Ctx, { leaseToken }: Lease, news: ProgramNews): Promise<boolean> {
  const { applied, discountId = null, productIds = null, problem = null, additionId, asked = null } = news
  const written = await ctx.tx.run(sql`
    update loyalty_referral_programs
       set applied = case when ${applied === undefined} then applied else ${applied ? JSON.stringify(applied) : null}::jsonb end,
           platform_discount_id = coalesce(${discountId}, platform_discount_id),
           product_ids = coalesce(${productIds}::text[], product_ids),
           problem = coalesce(${problem === null ? null : storableError(problem)}, problem),
           addition_id = case when ${additionId === undefined} then addition_id else ${additionId ?? null}::text end,
           asked = coalesce(${asked}, asked)
     where store_id = ${ctx.storeId} and lease_token = ${leaseToken}`)
  return written === 1
}

/** When the work goes on: at once, after a rest, or when something is asked. */
export type NextVisit = 'now' | { restMs: number } | 'asked'

export async function markProgramDone(ctx: Ctx, { leaseToken, wanted }: Program, next: NextVisit): Promise<void> {
  const idleMs = wanted.isOn && wanted.freeProductId !== null ? LOOK_AGAIN_HOURS * 3_600_000 : null
  const ms = next === 'now' ? 0 : next === 'asked' ? idleMs : next.restMs
  await ctx.tx.run(sql`
    update loyalty_referral_programs
       set failures = 0, last_error = null, lease_owner = null, leased_until = null, rests_until = null,
           next_at = statement_timestamp() + case when is_asked then 0 else ${ms}::bigint end * interval '1 millisecond'
     where store_id = ${ctx.storeId} and lease_token = ${leaseToken}`)
}

/** What the platform may still do with a call that had no answer is over before the next try. */
export async function markProgramFailed(ctx: Ctx, program: Program, error: string): Promise<void> {
  const failures = program.failures + 1
  await ctx.tx.run(sql`
    update loyalty_referral_programs
       set failures = ${failures}, last_error = ${storableError(error)}, lease_owner = null, leased_until = null,
           next_at = statement_timestamp() + ${retryMinutes(failures)} * interval '1 minute',
           rests_until = statement_timestamp() + interval '1 minute'
     where store_id = ${ctx.storeId} and lease_token = ${program.leaseToken}`)
}

/** After its discount was deleted on the platform: it is made again with all codes, while they are wanted. */
export async function forgetDiscounts(ctx: Ctx, platformDiscountIds: string[]): Promise<void> {
  const gone = await ctx.tx.run(sql`
    update loyalty_referral_programs
       set platform_discount_id = null, applied = null, product_ids = '{}', addition_id = null, asked = 0,
           next_at = statement_timestamp(), is_asked = true
     where store_id = ${ctx.storeId} and platform_discount_id = any(${platformDiscountIds}::text[])`)
  if (gone === 0) return
  await ctx.tx.run(sql`
    update loyalty_referral_codes set added_at = null where store_id = ${ctx.storeId} and added_at is not null`)
}

/** The address of the shop where codes can be used now; null where they cannot. */
export async function findOpenShop(ctx: Ctx): Promise<string | null> {
  const found = await ctx.tx.maybeOne(
    row({ domain: text }),
    sql`
    select s.domain from loyalty_referral_programs p join stores s on s.store_id = ${ctx.storeId}
     where p.store_id = ${ctx.storeId} and (p.wanted ->> 'isOn')::boolean and p.platform_discount_id is not null
       and p.problem is null`
  )
  return found?.domain ?? null
}

export const duePrograms = dueQuery(
  'loyalty_referrals_due',
  `select p.store_id, p.next_at as due_at
     from unnest($1::bigint[], $2::timestamptz[]) as s(store_id, until)
     join loyalty_referral_programs p on p.store_id = s.store_id and p.next_at <= s.until
    where (p.leased_until is null or p.leased_until < statement_timestamp())
      and (p.rests_until is null or p.rests_until < statement_timestamp())`
)

/** The times are real, so in a store whose clock is stopped that is now or never. */
export const nextProgram = directSql<[storeId: number]>(
  'next_loyalty_referrals',
  `select case when p.next_at <= statement_timestamp()
               then date_trunc('milliseconds', coalesce(s.clock_at, statement_timestamp())) end as at
     from loyalty_referral_programs p join stores s on s.store_id = $1
    where p.store_id = $1 and (p.leased_until is null or p.leased_until < statement_timestamp())
      and (p.rests_until is null or p.rests_until < statement_timestamp())`
)

/** Releases what these nodes have leased, in all stores. */
export const releasePrograms: LeaseRelease = (owners) => sql`
  update loyalty_referral_programs set lease_owner = null, leased_until = null where lease_owner = any(${owners}::bigint[])`
