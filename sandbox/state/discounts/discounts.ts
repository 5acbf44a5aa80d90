import { instant, int, json, nullable, type Queries, type RowOf, row, sql, text, textList } from '#kit/postgres'

export type DiscountClass = 'PRODUCT' | 'ORDER' | 'SHIPPING'
type Method = 'Code' | 'Automatic'
type Sort = 'Basic' | 'Bxgy' | 'FreeShipping' | 'App'
export type DiscountKind = `Discount${Method}${Sort}`

const DiscountRow = row({
  id: text,
  kind: text as (value: unknown) => DiscountKind,
  title: text,
  startsAt: instant,
  endsAt: nullable(instant),
  body: json<DiscountBody>(),
  classes: textList as (value: unknown) => DiscountClass[],
  usageCount: int,
  createdAt: instant,
  updatedAt: instant
})
export type Discount = RowOf<typeof DiscountRow>

/** Which goods: all, or products and variants, or collections; by gid. */
export type DiscountItems = {
  all?: boolean | null
  products?: { productsToAdd?: string[] | null; productVariantsToAdd?: string[] | null } | null
  collections?: { add?: string[] | null } | null
}
type Effect = { percentage?: number | null; amount?: string | null }

/** The input as it came, lists of ids as they are after all changes; the answers and the checkout read it. */
export type DiscountBody = {
  combinesWith?: {
    orderDiscounts?: boolean | null
    productDiscounts?: boolean | null
    shippingDiscounts?: boolean | null
  } | null
  context?: {
    all?: 'ALL' | null
    customers?: { add?: string[] | null } | null
    customerSegments?: { add?: string[] | null } | null
  } | null
  customerGets?: {
    value?: {
      percentage?: number | null
      discountAmount?: { amount?: string | null; appliesOnEachItem?: boolean | null } | null
      discountOnQuantity?: { quantity?: string | null; effect?: Effect | null } | null
    } | null
    items?: DiscountItems | null
    appliesOnOneTimePurchase?: boolean | null
    appliesOnSubscription?: boolean | null
  } | null
  customerBuys?: {
    value?: { quantity?: string | null; amount?: string | null } | null
    items?: DiscountItems | null
    isOneTimePurchase?: boolean | null
    isSubscription?: boolean | null
  } | null
  minimumRequirement?: {
    quantity?: { greaterThanOrEqualToQuantity?: string | null } | null
    subtotal?: { greaterThanOrEqualToSubtotal?: string | null } | null
  } | null
  /** Of free shipping. */
  destination?: {
    all?: boolean | null
    countries?: { add?: string[] | null; includeRestOfWorld?: boolean | null } | null
  } | null
  maximumShippingPrice?: string | null
  /** Of free shipping and of functions. */
  appliesOnOneTimePurchase?: boolean | null
  appliesOnSubscription?: boolean | null
  usageLimit?: number | null
  usesPerOrderLimit?: number | string | null
  recurringCycleLimit?: number | null
  appliesOncePerCustomer?: boolean | null
  tags?: string[] | null
  /** Of functions. */
  discountClasses?: string[] | null
  functionId?: string | null
}

export const isCode = ({ kind }: Pick<Discount, 'kind'>): boolean => kind.startsWith('DiscountCode')
export const sortOf = ({ kind }: Pick<Discount, 'kind'>): Sort => kind.replace(/^Discount(Code|Automatic)/, '') as Sort

/** What a discount reduces, which decides what it combines with. */
function classesOf({ kind, body }: Pick<Discount, 'kind' | 'body'>): DiscountClass[] {
  const sort = sortOf({ kind })
  if (sort === 'App') return (body.discountClasses ?? []) as DiscountClass[]
  if (sort === 'FreeShipping') return ['SHIPPING']
  if (sort === 'Bxgy') return ['PRODUCT']
  const { items } = body.customerGets ?? {}
  return items?.products || items?.collections ? ['PRODUCT'] : ['ORDER']
}

export async function findDiscounts(q: Queries, storeId: number, ids: string[]): Promise<Discount[]> {
  return q.many(
    DiscountRow,
    sql`
    select id::text as id, kind, title, starts_at, ends_at, body, classes, usage_count, created_at, updated_at
      from sandbox.discounts where store_id = ${storeId} and id = any(${ids}::bigint[])`
  )
}

/** Those without a code that count now, the oldest first. */
export async function listActiveAutomatic(q: Queries, storeId: number, now: Temporal.Instant): Promise<Discount[]> {
  return q.many(
    DiscountRow,
    sql`
    select id::text as id, kind, title, starts_at, ends_at, body, classes, usage_count, created_at, updated_at
      from sandbox.discounts
     where store_id = ${storeId} and kind like 'DiscountAutomatic%' and starts_at <= ${now}
       and (ends_at is null or ends_at > ${now})
     order by discounts.id`
  )
}

export async function hasAutomaticDiscounts(q: Queries, storeId: number): Promise<boolean> {
  const found = await q.many(
    row({ id: text }),
    sql`
    select id::text as id from sandbox.discounts where store_id = ${storeId} and kind like 'DiscountAutomatic%' limit 1`
  )
  return found.length > 0
}

export type DiscountFields = Pick<Discount, 'kind' | 'title' | 'startsAt' | 'endsAt' | 'body'>

export async function insertDiscount(
  q: Queries,
  storeId: number,
  fields: DiscountFields,
  now: Temporal.Instant
): Promise<Discount> {
  return q.one(
    DiscountRow,
    sql`
    insert into sandbox.discounts (store_id, kind, title, starts_at, ends_at, body, classes, created_at, updated_at)
    values (${storeId}, ${fields.kind}, ${fields.title}, ${fields.startsAt}, ${fields.endsAt}, ${JSON.stringify(fields.body)},
            ${classesOf(fields)}, ${now}, ${now})
    returning id::text as id, kind, title, starts_at, ends_at, body, classes, usage_count, created_at, updated_at`
  )
}

export async function updateDiscount(
  q: Queries,
  storeId: number,
  id: string,
  to: DiscountFields,
  now: Temporal.Instant
): Promise<void> {
  await q.run(sql`
    update sandbox.discounts
       set kind = ${to.kind}, title = ${to.title}, starts_at = ${to.startsAt}, ends_at = ${to.endsAt},
           body = ${JSON.stringify(to.body)}, classes = ${classesOf(to)}, updated_at = ${now}
     where store_id = ${storeId} and id = ${id}`)
}

/** Has what has not begun begin now, and what has ended go on without an end. What counts already stays as it is. */
export async function activateDiscounts(q: Queries, storeId: number, ids: string[], now: Temporal.Instant) {
  await q.run(sql`
    update sandbox.discounts
       set starts_at = least(starts_at, ${now}), ends_at = case when ends_at > ${now} then ends_at end, updated_at = ${now}
     where store_id = ${storeId} and id = any(${ids}::bigint[]) and (starts_at > ${now} or ends_at <= ${now})`)
}

/** Ends what has not ended. */
export async function deactivateDiscounts(q: Queries, storeId: number, ids: string[], now: Temporal.Instant) {
  await q.run(sql`
    update sandbox.discounts set starts_at = least(starts_at, ${now}), ends_at = ${now}, updated_at = ${now}
     where store_id = ${storeId} and id = any(${ids}::bigint[]) and (ends_at is null or ends_at > ${now})`)
}

/** With their codes and metafields. */
export async function deleteDiscounts(q: Queries, storeId: number, ids: string[]): Promise<void> {
  await q.run(sql`
    delete from sandbox.metafields
     where store_id = ${storeId} and owner_type = 'DiscountNode' and owner_id = any(${ids}::bigint[])`)
  await q.run(sql`delete from sandbox.redeem_codes where store_id = ${storeId} and discount_id = any(${ids}::bigint[])`)
  await q.run(sql`delete from sandbox.discounts where store_id = ${storeId} and id = any(${ids}::bigint[])`)
}

/** Counts one use; false if the discount has reached its limit. */
export async function useDiscount(q: Queries, storeId: number, id: string, limit: number | null): Promise<boolean> {
  return (
    (await q.run(sql`
    update sandbox.discounts set usage_count = usage_count + 1
     where store_id = ${storeId} and id = ${id} and (${limit}::int is null or usage_count < ${limit}::int)`)) > 0
  )
}
