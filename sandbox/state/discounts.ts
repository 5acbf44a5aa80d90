import { instant, int, json, nullable, type Queries, type RowOf, row, sql, text } from '#kit/postgres'

const DiscountRow = row({
  id: text,
  kind: text as (value: unknown) => DiscountKind,
  title: text,
  code: nullable(text),
  redeemCodeId: text,
  startsAt: instant,
  endsAt: nullable(instant),
  body: json<DiscountBody>(),
  usageCount: int,
  createdAt: instant,
  updatedAt: instant
})
export type DiscountKind =
  | 'DiscountCodeBasic'
  | 'DiscountCodeBxgy'
  | 'DiscountCodeFreeShipping'
  | 'DiscountAutomaticApp'
export type Discount = RowOf<typeof DiscountRow>

/** The parts of the input that responses and checkouts use. */
export type DiscountBody = {
  combinesWith?: { orderDiscounts?: boolean; productDiscounts?: boolean; shippingDiscounts?: boolean }
  context?: { all?: 'ALL'; customers?: { add?: string[] } }
  customerGets?: {
    value?: {
      percentage?: number
      discountAmount?: { amount?: string; appliesOnEachItem?: boolean }
    }
    items?: {
      all?: boolean
      products?: { productsToAdd?: string[]; productVariantsToAdd?: string[] }
      collections?: { add?: string[] }
    }
    appliesOnOneTimePurchase?: boolean
    appliesOnSubscription?: boolean
  }
  minimumRequirement?: {
    quantity?: { greaterThanOrEqualToQuantity?: string }
    subtotal?: { greaterThanOrEqualToSubtotal?: string }
  }
  usageLimit?: number
  appliesOncePerCustomer?: boolean
  discountClasses?: string[]
  functionId?: string
  functionHandle?: string
}

export type DiscountClass = 'PRODUCT' | 'ORDER' | 'SHIPPING'

/** What a discount reduces, which decides what it combines with. */
export function classOf({ kind, body }: Pick<Discount, 'kind' | 'body'>): DiscountClass {
  if (kind === 'DiscountCodeFreeShipping') return 'SHIPPING'
  if (kind === 'DiscountCodeBxgy') return 'PRODUCT'
  const { items } = body.customerGets ?? {}
  return items?.products || items?.collections ? 'PRODUCT' : 'ORDER'
}

export async function findDiscounts(q: Queries, storeId: number, ids: string[]): Promise<Discount[]> {
  return q.many(
    DiscountRow,
    sql`
    select id::text as id, kind, title, code, redeem_code_id::text as redeem_code_id, starts_at, ends_at, body,
           usage_count, created_at, updated_at
      from sandbox.discounts where store_id = ${storeId} and id = any(${ids}::bigint[])`
  )
}

/** Codes are compared ignoring case. */
export async function findDiscountByCode(q: Queries, storeId: number, code: string): Promise<Discount | null> {
  return q.maybeOne(
    DiscountRow,
    sql`
    select id::text as id, kind, title, code, redeem_code_id::text as redeem_code_id, starts_at, ends_at, body,
           usage_count, created_at, updated_at
      from sandbox.discounts where store_id = ${storeId} and lower(code) = lower(${code})`
  )
}

/** Null if the code already exists. */
export async function insertDiscount(
  q: Queries,
  storeId: number,
  fields: Pick<Discount, 'kind' | 'title' | 'code' | 'startsAt' | 'endsAt' | 'body'>,
  now: Temporal.Instant
): Promise<Discount | null> {
  return q.maybeOne(
    DiscountRow,
    sql`
    insert into sandbox.discounts (store_id, kind, title, code, starts_at, ends_at, body, created_at, updated_at)
    values (${storeId}, ${fields.kind}, ${fields.title}, ${fields.code}, ${fields.startsAt}, ${fields.endsAt},
            ${JSON.stringify(fields.body)}, ${now}, ${now})
    on conflict do nothing
    returning id::text as id, kind, title, code, redeem_code_id::text as redeem_code_id, starts_at, ends_at, body,
              usage_count, created_at, updated_at`
  )
}

/** False if another discount has the code. */
export async function updateDiscount(
  q: Queries,
  storeId: number,
  id: string,
  to: Pick<Discount, 'kind' | 'title' | 'code' | 'startsAt' | 'endsAt' | 'body'>,
  now: Temporal.Instant
): Promise<boolean> {
  const changed = await q.run(sql`
    update sandbox.discounts
       set kind = ${to.kind}, title = ${to.title}, code = ${to.code}, starts_at = ${to.startsAt}, ends_at = ${to.endsAt}, body = ${JSON.stringify(to.body)},
           updated_at = ${now}
     where store_id = ${storeId} and id = ${id}
       and not exists (select from sandbox.discounts other
                        where other.store_id = ${storeId} and lower(other.code) = lower(${to.code}) and other.id <> ${id})`)
  return changed > 0
}

export async function deleteDiscount(q: Queries, storeId: number, id: string): Promise<boolean> {
  return (await q.run(sql`delete from sandbox.discounts where store_id = ${storeId} and id = ${id}`)) > 0
}

/** Counts one use; false if the discount has reached its limit. */
export async function useDiscount(q: Queries, storeId: number, id: string, limit: number | null): Promise<boolean> {
  return (
    (await q.run(sql`
    update sandbox.discounts set usage_count = usage_count + 1
     where store_id = ${storeId} and id = ${id} and (${limit}::int is null or usage_count < ${limit}::int)`)) > 0
  )
}

/** The number of the customer's orders with the code. */
export async function usesByCustomer(q: Queries, storeId: number, customerId: string, code: string): Promise<number> {
  const { uses } = await q.one(
    row({ uses: int }),
    sql`
    select count(*) as uses from sandbox.orders
     where store_id = ${storeId} and customer_id = ${customerId}
       and exists (select from jsonb_array_elements(discounts) d where lower(d->>'code') = lower(${code}))`
  )
  return uses
}
