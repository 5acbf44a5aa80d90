import { instant, int, json, nullable, type Queries, type RowOf, row, sql, text } from '#kit/postgres'

export type Interval = 'DAY' | 'WEEK' | 'MONTH' | 'YEAR'
export type Anchor = { type: string; day: number; month: number | null; cutoffDay: number | null }
export type BillingPolicy = {
  interval: Interval
  intervalCount: number
  minCycles: number | null
  maxCycles: number | null
  anchors: Anchor[]
}
export type DeliveryPolicy = { interval: Interval; intervalCount: number; anchors: Anchor[] }
export type Attribute = { key: string; value: string | null }

/** A price that applies after cycle `afterCycle`. */
export type CycleDiscount = {
  afterCycle: number
  adjustmentType: 'PERCENTAGE' | 'FIXED_AMOUNT' | 'PRICE'
  percentage: number | null
  amountMinor: number | null
  computedPriceMinor: number
}

export type ContractLine = {
  id: string
  productId: string | null
  variantId: string | null
  title: string
  variantTitle: string | null
  sku: string | null
  quantity: number
  priceMinor: number
  basePriceMinor: number | null
  cycleDiscounts: CycleDiscount[]
  sellingPlanId: string | null
  sellingPlanName: string | null
  customAttributes: Attribute[]
}

export type ContractDiscount = {
  id: string
  title: string | null
  targetType: 'LINE_ITEM' | 'SHIPPING_LINE'
  percentage: number | null
  amountMinor: number | null
  appliesOnEachItem: boolean
  recurringCycleLimit: number | null
  usageCount: number
  /** Null: every line. */
  lineIds: string[] | null
  /** The code that was redeemed for it, and why it takes nothing off; a manual discount has neither. */
  code?: string
  rejection?: string | null
}

/** The terms that an app can change through a draft. */
export type ContractTerms = {
  status: ContractStatus
  nextBillingAt: string | null
  billingPolicy: BillingPolicy
  deliveryPolicy: DeliveryPolicy
  deliveryPriceMinor: number
  paymentToken: string | null
  note: string | null
  customAttributes: Attribute[]
  lines: ContractLine[]
  discounts: ContractDiscount[]
}
export type ContractStatus = 'ACTIVE' | 'PAUSED' | 'CANCELLED' | 'EXPIRED' | 'FAILED'

const ContractRow = row({
  id: text,
  customerId: text,
  status: text as (value: unknown) => ContractStatus,
  currency: text,
  nextBillingAt: nullable(instant),
  cycleAnchorAt: instant,
  cycleAnchorIndex: int,
  cyclesBefore: int,
  billingPolicy: json<BillingPolicy>(),
  deliveryPolicy: json<DeliveryPolicy>(),
  deliveryPriceMinor: int,
  paymentToken: nullable(text),
  originOrderId: nullable(text),
  note: nullable(text),
  customAttributes: json<Attribute[]>(),
  lines: json<ContractLine[]>(),
  discounts: json<ContractDiscount[]>(),
  revisionId: text,
  lastPaymentStatus: nullable(text),
  lastErrorType: nullable(text),
  createdAt: instant,
  updatedAt: instant
})
export type Contract = RowOf<typeof ContractRow> & { __typename: 'SubscriptionContract' }

const asContract = (found: RowOf<typeof ContractRow>): Contract => ({ __typename: 'SubscriptionContract', ...found })

export async function findContracts(q: Queries, storeId: number, ids: string[]): Promise<Contract[]> {
  const rows = await q.many(
    ContractRow,
    sql`
    select id::text as id, customer_id::text as customer_id, status, currency, next_billing_at, cycle_anchor_at,
           cycle_anchor_index, cycles_before, billing_policy, delivery_policy, delivery_price_minor, payment_token,
           origin_order_id::text as origin_order_id, note, custom_attributes, lines, discounts, revision::text as revision_id,
           last_payment_status, last_error_type, created_at, updated_at
      from sandbox.contracts where store_id = ${storeId} and id = any(${ids}::bigint[])`
  )
  return rows.map(asContract)
}

export async function findContract(q: Queries, storeId: number, id: string): Promise<Contract | null> {
  return (await findContracts(q, storeId, [id]))[0] ?? null
}

/** Locks the contract, so that concurrent changes do not decide on the same state. */
export async function lockContract(q: Queries, storeId: number, id: string): Promise<Contract | null> {
  const found = await q.maybeOne(
    ContractRow,
    sql`
    select id::text as id, customer_id::text as customer_id, status, currency, next_billing_at, cycle_anchor_at,
           cycle_anchor_index, cycles_before, billing_policy, delivery_policy, delivery_price_minor, payment_token,
           origin_order_id::text as origin_order_id, note, custom_attributes, lines, discounts, revision::text as revision_id,
           last_payment_status, last_error_type, created_at, updated_at
      from sandbox.contracts where store_id = ${storeId} and id = ${id}
       for update`
  )
  return found && asContract(found)
}

/** All contracts of the customers, oldest first. */
export async function listContractsOf(q: Queries, storeId: number, customerIds: string[]): Promise<Contract[]> {
  const rows = await q.many(
    ContractRow,
    sql`
    select id::text as id, customer_id::text as customer_id, status, currency, next_billing_at, cycle_anchor_at,
           cycle_anchor_index, cycles_before, billing_policy, delivery_policy, delivery_price_minor, payment_token,
           origin_order_id::text as origin_order_id, note, custom_attributes, lines, discounts, revision::text as revision_id,
           last_payment_status, last_error_type, created_at, updated_at
      from sandbox.contracts where store_id = ${storeId} and customer_id = any(${customerIds}::bigint[])
     order by contracts.id`
  )
  return rows.map(asContract)
}

export type NewContract = ContractTerms & {
  id: string | null
  customerId: string
  currency: string
  cycleAnchorAt: Temporal.Instant
  cycleAnchorIndex: number
  originOrderId: string | null
}

/** Inserts contracts in one statement, in the given order. An existing id is left unchanged and not returned. */
export async function insertContracts(
  q: Queries,
  storeId: number,
  newContracts: NewContract[],
  now: Temporal.Instant
): Promise<Contract[]> {
  const rows = await q.many(
    ContractRow,
    sql`
    insert into sandbox.contracts (store_id, id, customer_id, status, currency, next_billing_at, cycle_anchor_at,
                                   cycle_anchor_index, billing_policy, delivery_policy, delivery_price_minor, payment_token, origin_order_id, note,
                                   custom_attributes, lines, discounts, created_at, updated_at)
    select ${storeId}, coalesce((c->>'id')::bigint, nextval('sandbox.contract_ids')), (c->>'customerId')::bigint,
           c->>'status', c->>'currency', (c->>'nextBillingAt')::timestamptz, (c->>'cycleAnchorAt')::timestamptz,
           (c->>'cycleAnchorIndex')::int, c->'billingPolicy', c->'deliveryPolicy', (c->>'deliveryPriceMinor')::bigint, c->>'paymentToken',
           (c->>'originOrderId')::bigint, c->>'note', c->'customAttributes', c->'lines', c->'discounts', ${now}, ${now}
      from jsonb_array_elements(${JSON.stringify(newContracts)}::jsonb) with ordinality as made(c, position)
     order by position
    on conflict (store_id, id) do nothing
    returning id::text as id, customer_id::text as customer_id, status, currency, next_billing_at, cycle_anchor_at,
              cycle_anchor_index, cycles_before, billing_policy, delivery_policy, delivery_price_minor, payment_token,
              origin_order_id::text as origin_order_id, note, custom_attributes, lines, discounts,
              revision::text as revision_id, last_payment_status, last_error_type, created_at, updated_at`
  )
  return rows.map(asContract)
}

/** Which cycle lies where: cycle `cycleAnchorIndex` ends at `cycleAnchorAt`; `cyclesBefore` were counted in earlier numberings. */
export type Numbering = Pick<Contract, 'cycleAnchorAt' | 'cycleAnchorIndex' | 'cyclesBefore'>

/** Writes the contract's terms with a new revision and returns the updated row. */
export async function updateContract(
  q: Queries,
  storeId: number,
  id: string,
  to: ContractTerms & Numbering,
  now: Temporal.Instant
): Promise<Contract> {
  const found = await q.one(
    ContractRow,
    sql`
    update sandbox.contracts
       set status = ${to.status}, next_billing_at = ${to.nextBillingAt}, cycle_anchor_at = ${to.cycleAnchorAt},
           cycle_anchor_index = ${to.cycleAnchorIndex}, cycles_before = ${to.cyclesBefore}, billing_policy = ${JSON.stringify(to.billingPolicy)},
           delivery_policy = ${JSON.stringify(to.deliveryPolicy)}, delivery_price_minor = ${to.deliveryPriceMinor},
           payment_token = ${to.paymentToken}, note = ${to.note}, custom_attributes = ${JSON.stringify(to.customAttributes)},
           lines = ${JSON.stringify(to.lines)}, discounts = ${JSON.stringify(to.discounts)},
           revision = nextval('sandbox.revisions'), updated_at = ${now}
     where store_id = ${storeId} and id = ${id}
    returning id::text as id, customer_id::text as customer_id, status, currency, next_billing_at, cycle_anchor_at,
              cycle_anchor_index, cycles_before, billing_policy, delivery_policy, delivery_price_minor, payment_token,
              origin_order_id::text as origin_order_id, note, custom_attributes, lines, discounts,
              revision::text as revision_id, last_payment_status, last_error_type, created_at, updated_at`
  )
  return asContract(found)
}

/** The part of a contract that a draft copies and edits. */
export function termsOf(contract: Contract): ContractTerms {
  const { status, billingPolicy, deliveryPolicy, deliveryPriceMinor, paymentToken, note } = contract
  const { customAttributes, lines, discounts } = contract
  const nextBillingAt = contract.nextBillingAt?.toString() ?? null
  return {
    status,
    nextBillingAt,
    billingPolicy,
    deliveryPolicy,
    deliveryPriceMinor,
    paymentToken,
    note,
    customAttributes,
    lines,
    discounts
  }
}
