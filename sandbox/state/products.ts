import { bool, instant, int, json, nullable, type Queries, type RowOf, row, sql, text, textList } from '#kit/postgres'
import type { BillingPolicy, DeliveryPolicy } from './contracts.ts'

export type Publication = { id: string; at: string }
/** What the service does not use. */
export type ProductMore = {
  descriptionHtml?: string
  templateSuffix?: string | null
  seo?: { title: string | null; description: string | null }
  /** Where the product is published, and since when. */
  publications?: Publication[]
}

const ProductRow = row({
  id: text,
  title: text,
  handle: text,
  status: text,
  tags: textList,
  vendor: nullable(text),
  productType: nullable(text),
  more: json<ProductMore>(),
  createdAt: instant,
  updatedAt: instant
})
const VariantRow = row({
  id: text,
  productId: text,
  title: text,
  sku: nullable(text),
  priceMinor: int,
  /** The price before a reduction; null when it is not reduced. */
  compareAtMinor: nullable(int),
  requiresShipping: bool,
  taxable: bool,
  position: int,
  createdAt: instant,
  updatedAt: instant
})
const GroupRow = row({
  id: text,
  appId: nullable(text),
  name: text,
  merchantCode: text,
  description: nullable(text),
  options: textList,
  position: nullable(int),
  productIds: textList,
  variantIds: textList,
  createdAt: instant
})
const PlanRow = row({
  id: text,
  groupId: text,
  name: text,
  description: nullable(text),
  category: nullable(text),
  options: textList,
  position: nullable(int),
  billingPolicy: json<BillingPolicy>(),
  deliveryPolicy: json<DeliveryPolicy>(),
  pricingPolicies: json<PricingPolicy[]>(),
  more: json<{ cutoff?: number | null; reserve?: string | null }>(),
  createdAt: instant
})

/** `afterCycle` is null for the policy that applies from the start. */
export type PricingPolicy = {
  afterCycle: number | null
  adjustmentType: 'PERCENTAGE' | 'FIXED_AMOUNT' | 'PRICE'
  percentage: number | null
  amountMinor: number | null
}
export type Product = RowOf<typeof ProductRow> & { __typename: 'Product' }
export type Variant = RowOf<typeof VariantRow> & { __typename: 'ProductVariant' }
export type SellingPlanGroup = RowOf<typeof GroupRow> & { __typename: 'SellingPlanGroup' }
export type SellingPlan = RowOf<typeof PlanRow> & { __typename: 'SellingPlan' }

const asProduct = (found: RowOf<typeof ProductRow>): Product => ({ __typename: 'Product', ...found })
const asVariant = (found: RowOf<typeof VariantRow>): Variant => ({ __typename: 'ProductVariant', ...found })
const asGroup = (found: RowOf<typeof GroupRow>): SellingPlanGroup => ({ __typename: 'SellingPlanGroup', ...found })
const asPlan = (found: RowOf<typeof PlanRow>): SellingPlan => ({ __typename: 'SellingPlan', ...found })

export async function findProducts(q: Queries, storeId: number, ids: string[]): Promise<Product[]> {
  const rows = await q.many(
    ProductRow,
    sql`
    select id::text as id, title, handle, status, tags, vendor, product_type, more, created_at, updated_at
      from sandbox.products where store_id = ${storeId} and id = any(${ids}::bigint[])`
  )
  return rows.map(asProduct)
}

export async function findVariants(q: Queries, storeId: number, ids: string[]): Promise<Variant[]> {
  const rows = await q.many(
    VariantRow,
    sql`
    select id::text as id, product_id::text as product_id, title, sku, price_minor, compare_at_minor,
           requires_shipping, taxable, position, created_at, updated_at
      from sandbox.variants where store_id = ${storeId} and id = any(${ids}::bigint[])`
  )
  return rows.map(asVariant)
}

/** The products on sale in the shop, oldest first. */
export async function listActiveProducts(q: Queries, storeId: number): Promise<Product[]> {
  const rows = await q.many(
    ProductRow,
    sql`
    select id::text as id, title, handle, status, tags, vendor, product_type, more, created_at, updated_at
      from sandbox.products where store_id = ${storeId} and status = 'ACTIVE' order by products.id`
  )
  return rows.map(asProduct)
}

/** Variants by their numbers or SKUs, ignoring case; of several with one SKU all are returned. */
export async function findVariantsByName(q: Queries, storeId: number, names: string[]): Promise<Variant[]> {
  const rows = await q.many(
    VariantRow,
    sql`
    select id::text as id, product_id::text as product_id, title, sku, price_minor, compare_at_minor,
           requires_shipping, taxable, position, created_at, updated_at
      from sandbox.variants
     where store_id = ${storeId} and (id::text = any(${names}::text[]) or lower(sku) = any(${names.map((n) => n.toLowerCase())}::text[]))
     order by variants.id`
  )
  return rows.map(asVariant)
}

/** The variants of the products, by position. */
export async function listVariants(q: Queries, storeId: number, productIds: string[]): Promise<Variant[]> {
  const rows = await q.many(
    VariantRow,
    sql`
    select id::text as id, product_id::text as product_id, title, sku, price_minor, compare_at_minor,
           requires_shipping, taxable, position, created_at, updated_at
      from sandbox.variants where store_id = ${storeId} and product_id = any(${productIds}::bigint[])
     order by position, variants.id`
  )
  return rows.map(asVariant)
}

/** The oldest product with the handle. */
export async function findProductIdByHandle(q: Queries, storeId: number, handle: string): Promise<string | null> {
  const found = await q.maybeOne(
    row({ id: text }),
    sql`select id::text as id from sandbox.products where store_id = ${storeId} and handle = ${handle} order by products.id limit 1`
  )
  return found?.id ?? null
}

export type ProductFields = Pick<Product, 'title' | 'handle' | 'status' | 'tags' | 'vendor' | 'productType' | 'more'>

/** Inserts a product with its default variant, whose price is 0 until it is set. */
export async function insertProduct(
  q: Queries,
  storeId: number,
  fields: ProductFields,
  now: Temporal.Instant
): Promise<Product> {
  const found = await q.one(
    ProductRow,
    sql`
    with product as (
      insert into sandbox.products (store_id, title, handle, status, tags, vendor, product_type, more, created_at, updated_at)
      values (${storeId}, ${fields.title}, ${fields.handle}, ${fields.status}, ${fields.tags}, ${fields.vendor},
              ${fields.productType}, ${JSON.stringify(fields.more)}, ${now}, ${now})
      returning *
    ), variant as (
      insert into sandbox.variants (store_id, product_id, title, price_minor, position, created_at, updated_at)
      select store_id, id, 'Default Title', 0, 1, ${now}, ${now} from product
    )
    select id::text as id, title, handle, status, tags, vendor, product_type, more, created_at, updated_at from product`
  )
  return asProduct(found)
}

export async function updateProduct(q: Queries, storeId: number, id: string, to: ProductFields, now: Temporal.Instant) {
  await q.run(sql`
    update sandbox.products
       set title = ${to.title}, handle = ${to.handle}, status = ${to.status}, tags = ${to.tags}, vendor = ${to.vendor},
           product_type = ${to.productType}, more = ${JSON.stringify(to.more)}, updated_at = ${now}
     where store_id = ${storeId} and id = ${id}`)
}

/** Deletes a product, its variants and its places in collections and selling plan groups. */
export async function deleteProduct(q: Queries, storeId: number, id: string) {
  await q.run(sql`delete from sandbox.variants where store_id = ${storeId} and product_id = ${id}`)
  await q.run(sql`
    update sandbox.collections set product_ids = array_remove(product_ids, ${id}::bigint)
     where store_id = ${storeId} and ${id}::bigint = any(product_ids)`)
  await q.run(sql`
    update sandbox.selling_plan_groups set product_ids = array_remove(product_ids, ${id}::bigint)
     where store_id = ${storeId} and ${id}::bigint = any(product_ids)`)
  await q.run(sql`delete from sandbox.products where store_id = ${storeId} and id = ${id}`)
}

/** All products of the shop, oldest first. */
export async function listProducts(q: Queries, storeId: number): Promise<Product[]> {
  const rows = await q.many(
    ProductRow,
    sql`
    select id::text as id, title, handle, status, tags, vendor, product_type, more, created_at, updated_at
      from sandbox.products where store_id = ${storeId} order by products.id`
  )
  return rows.map(asProduct)
}

/** Handles of products and collections that begin so. */
export async function listHandles(
  q: Queries,
  storeId: number,
  of: 'products' | 'collections',
  stem: string
): Promise<string[]> {
  const rows = await q.many(
    row({ handle: text }),
    of === 'products'
      ? sql`select handle from sandbox.products where store_id = ${storeId} and starts_with(handle, ${stem})`
      : sql`select handle from sandbox.collections where store_id = ${storeId} and starts_with(handle, ${stem})`
  )
  return rows.map(({ handle }) => handle)
}

/** Null leaves the price or the number as it is. */
export type VariantChange = {
  id: string
  priceMinor: number | null
  sku: string | null
  setsCompareAt: boolean
  compareAtMinor: number | null
}

export async function updateVariants(q: Queries, storeId: number, changes: VariantChange[], now: Temporal.Instant) {
  await q.run(sql`
    update sandbox.variants v
       set price_minor = coalesce(n."priceMinor", v.price_minor), sku = coalesce(n.sku, v.sku),
           compare_at_minor = case when n."setsCompareAt" then n."compareAtMinor" else v.compare_at_minor end,
           updated_at = ${now}
      from jsonb_to_recordset(${JSON.stringify(changes)}::jsonb)
           as n(id bigint, "priceMinor" bigint, sku text, "setsCompareAt" boolean, "compareAtMinor" bigint)
     where v.store_id = ${storeId} and v.id = n.id`)
}

export async function findGroups(q: Queries, storeId: number, ids: string[]): Promise<SellingPlanGroup[]> {
  const rows = await q.many(
    GroupRow,
    sql`
    select id::text as id, app_id, name, merchant_code, description, options, position, product_ids::text[] as product_ids,
           variant_ids::text[] as variant_ids, created_at
      from sandbox.selling_plan_groups where store_id = ${storeId} and id = any(${ids}::bigint[])`
  )
  return rows.map(asGroup)
}

/** All groups of the shop, oldest first. */
export async function listGroups(q: Queries, storeId: number): Promise<SellingPlanGroup[]> {
  const rows = await q.many(
    GroupRow,
    sql`
    select id::text as id, app_id, name, merchant_code, description, options, position, product_ids::text[] as product_ids,
           variant_ids::text[] as variant_ids, created_at
      from sandbox.selling_plan_groups where store_id = ${storeId} order by selling_plan_groups.id`
  )
  return rows.map(asGroup)
}

export async function listPlans(q: Queries, storeId: number, groupIds: string[]): Promise<SellingPlan[]> {
  const rows = await q.many(
    PlanRow,
    sql`
    select id::text as id, group_id::text as group_id, name, description, category, options, position, billing_policy,
           delivery_policy, pricing_policies, more, created_at
      from sandbox.selling_plans where store_id = ${storeId} and group_id = any(${groupIds}::bigint[])
     order by position nulls last, selling_plans.id`
  )
  return rows.map(asPlan)
}

export async function findPlans(q: Queries, storeId: number, ids: string[]): Promise<SellingPlan[]> {
  const rows = await q.many(
    PlanRow,
    sql`
    select id::text as id, group_id::text as group_id, name, description, category, options, position, billing_policy,
           delivery_policy, pricing_policies, more, created_at
      from sandbox.selling_plans where store_id = ${storeId} and id = any(${ids}::bigint[])`
  )
  return rows.map(asPlan)
}

export type GroupFields = Omit<SellingPlanGroup, '__typename' | 'id' | 'createdAt'>

export async function insertGroup(
  q: Queries,
  storeId: number,
  fields: GroupFields,
  now: Temporal.Instant
): Promise<SellingPlanGroup> {
  const found = await q.one(
    GroupRow,
    sql`
    insert into sandbox.selling_plan_groups (store_id, app_id, name, merchant_code, description, options, position,
                                             product_ids, variant_ids, created_at)
    values (${storeId}, ${fields.appId}, ${fields.name}, ${fields.merchantCode}, ${fields.description}, ${fields.options},
            ${fields.position}, ${fields.productIds}::bigint[], ${fields.variantIds}::bigint[], ${now})
    returning id::text as id, app_id, name, merchant_code, description, options, position,
              product_ids::text[] as product_ids, variant_ids::text[] as variant_ids, created_at`
  )
  return asGroup(found)
}

export async function updateGroup(q: Queries, storeId: number, id: string, to: GroupFields) {
  await q.run(sql`
    update sandbox.selling_plan_groups
       set app_id = ${to.appId}, name = ${to.name}, merchant_code = ${to.merchantCode}, description = ${to.description},
           options = ${to.options}, position = ${to.position}, product_ids = ${to.productIds}::bigint[],
           variant_ids = ${to.variantIds}::bigint[]
     where store_id = ${storeId} and id = ${id}`)
}

export async function deleteGroup(q: Queries, storeId: number, id: string): Promise<boolean> {
  await q.run(sql`delete from sandbox.selling_plans where store_id = ${storeId} and group_id = ${id}`)
  return (await q.run(sql`delete from sandbox.selling_plan_groups where store_id = ${storeId} and id = ${id}`)) > 0
}

export type PlanFields = Omit<SellingPlan, '__typename' | 'createdAt' | 'groupId' | 'id'> & { id: string | null }

/** Inserts plans without an id and updates plans with one. */
export async function savePlans(
  q: Queries,
  storeId: number,
  groupId: string,
  plans: PlanFields[],
  now: Temporal.Instant
) {
  if (plans.length === 0) return
  await q.run(sql`
    insert into sandbox.selling_plans (store_id, id, group_id, name, description, category, options, position,
                                       billing_policy, delivery_policy, pricing_policies, more, created_at)
    select ${storeId}, coalesce((p->>'id')::bigint, nextval('sandbox.selling_plan_ids')), ${groupId}, p->>'name',
           p->>'description', p->>'category', array(select jsonb_array_elements_text(p->'options')), (p->>'position')::int,
           p->'billingPolicy', p->'deliveryPolicy', p->'pricingPolicies', p->'more', ${now}
      from jsonb_array_elements(${JSON.stringify(plans)}::jsonb) with ordinality as made(p, ordinal)
     order by ordinal
    on conflict (store_id, id) do update
       set name = excluded.name, description = excluded.description, category = excluded.category,
           options = excluded.options, position = excluded.position, billing_policy = excluded.billing_policy,
           delivery_policy = excluded.delivery_policy, pricing_policies = excluded.pricing_policies, more = excluded.more`)
}

export async function deletePlans(q: Queries, storeId: number, groupId: string, ids: string[]): Promise<string[]> {
  const rows = await q.many(
    PlanIds,
    sql`
    delete from sandbox.selling_plans
     where store_id = ${storeId} and group_id = ${groupId} and id = any(${ids}::bigint[]) returning id::text as id`
  )
  return rows.map((found) => found.id)
}

const PlanIds = row({ id: text })
