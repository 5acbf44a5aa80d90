import { int, type Queries, type RowOf, row, sql, text } from '#kit/postgres'
import { type Discount, findDiscounts } from './discounts.ts'

const CodeRow = row({ id: text, discountId: text, code: text, usageCount: int })
export type RedeemCode = RowOf<typeof CodeRow> & { __typename: 'DiscountRedeemCode' }

const asCode = (found: RowOf<typeof CodeRow>): RedeemCode => ({ __typename: 'DiscountRedeemCode', ...found })

export async function findRedeemCodes(q: Queries, storeId: number, ids: string[]): Promise<RedeemCode[]> {
  const rows = await q.many(
    CodeRow,
    sql`
    select id::text as id, discount_id::text as discount_id, code, usage_count
      from sandbox.redeem_codes where store_id = ${storeId} and id = any(${ids}::bigint[])`
  )
  return rows.map(asCode)
}

/** Those that exist, ignoring case. */
export async function findByCodes(q: Queries, storeId: number, codes: string[]): Promise<RedeemCode[]> {
  const rows = await q.many(
    CodeRow,
    sql`
    select id::text as id, discount_id::text as discount_id, code, usage_count
      from sandbox.redeem_codes where store_id = ${storeId} and lower(code) = any(${codes.map((code) => code.toLowerCase())}::text[])`
  )
  return rows.map(asCode)
}

/** The discount of a code, with the code as it was made. */
export async function findDiscountByCode(
  q: Queries,
  storeId: number,
  code: string
): Promise<(Discount & { code: string }) | null> {
  const [found] = await findByCodes(q, storeId, [code])
  const [discount] = found ? await findDiscounts(q, storeId, [found.discountId]) : []
  return found && discount ? { ...discount, code: found.code } : null
}

/** The first code of a discount, and how many it has. */
export async function firstCodeOf(q: Queries, storeId: number, discountId: string) {
  const [first] = await q.many(
    row({ id: text, code: text, count: int }),
    sql`
    select id::text as id, code, (count(*) over ())::int as count
      from sandbox.redeem_codes where store_id = ${storeId} and discount_id = ${discountId} order by redeem_codes.id limit 1`
  )
  return first ?? null
}

/** How many codes each of these discounts has. */
export async function countCodes(q: Queries, storeId: number, discountIds: string[]) {
  return q.many(
    row({ id: text, count: int }),
    sql`
    select discount_id::text as id, count(*) as count
      from sandbox.redeem_codes where store_id = ${storeId} and discount_id = any(${discountIds}::bigint[]) group by discount_id`
  )
}

/** Null if the shop has this code. */
export async function insertRedeemCode(
  q: Queries,
  storeId: number,
  { discountId, code }: Pick<RedeemCode, 'discountId' | 'code'>,
  now: Temporal.Instant
): Promise<RedeemCode | null> {
  const found = await q.maybeOne(
    CodeRow,
    sql`
    insert into sandbox.redeem_codes (store_id, discount_id, code, created_at) values (${storeId}, ${discountId}, ${code}, ${now})
    on conflict do nothing
    returning id::text as id, discount_id::text as discount_id, code, usage_count`
  )
  return found && asCode(found)
}

/** False if another code of the shop is the same. */
export async function renameRedeemCode(q: Queries, storeId: number, id: string, code: string): Promise<boolean> {
  const changed = await q.run(sql`
    update sandbox.redeem_codes set code = ${code}
     where store_id = ${storeId} and id = ${id}
       and not exists (select from sandbox.redeem_codes other
                        where other.store_id = ${storeId} and lower(other.code) = lower(${code}) and other.id <> ${id})`)
  return changed > 0
}

export async function deleteRedeemCodes(q: Queries, storeId: number, discountId: string, ids: string[]): Promise<void> {
  await q.run(sql`
    delete from sandbox.redeem_codes
     where store_id = ${storeId} and discount_id = ${discountId} and id = any(${ids}::bigint[])`)
}

/** The codes of a discount that begin with a text, ignoring case. */
export async function listCodesOf(q: Queries, storeId: number, discountId: string, start: string): Promise<string[]> {
  const rows = await q.many(
    row({ id: text }),
    sql`
    select id::text as id from sandbox.redeem_codes
     where store_id = ${storeId} and discount_id = ${discountId} and starts_with(lower(code), lower(${start}))`
  )
  return rows.map(({ id }) => id)
}

export async function countUse(q: Queries, storeId: number, id: string): Promise<void> {
  await q.run(sql`
    update sandbox.redeem_codes set usage_count = usage_count + 1 where store_id = ${storeId} and id = ${id}`)
}

/** The number of the customer's orders with one of the discount's codes. */
export async function usesByCustomer(
  q: Queries,
  storeId: number,
  { customerId, discountId }: { customerId: string; discountId: string }
): Promise<number> {
  const { uses } = await q.one(
    row({ uses: int }),
    sql`
    select count(*) as uses from sandbox.orders o
     where o.store_id = ${storeId} and o.customer_id = ${customerId}
       and exists (select from jsonb_array_elements(o.discounts) d
                     join sandbox.redeem_codes c on c.store_id = ${storeId} and lower(c.code) = lower(d->>'code')
                    where c.discount_id = ${discountId})`
  )
  return uses
}
