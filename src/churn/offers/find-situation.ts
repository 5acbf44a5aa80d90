import {
  bool,
  type Ctx,
  directSql,
  instant,
  int,
  intList,
  nullable,
  oneOf,
  type Queries,
  type RowOf,
  row,
  text
} from '#kit/postgres'

const Situation = row({
  status: oneOf('active', 'paused', 'cancelled', 'failed', 'expired'),
  currency: text,
  priceMinor: int,
  /** Of what a cycle is charged. */
  memberDiscountMinor: int,
  grantedDiscountMinor: int,
  deliveryMinor: int,
  lineChargesMinor: intList,
  lineQuantities: intList,
  /** In which store credit is kept. */
  shopCurrency: text,
  interval: oneOf('day', 'week', 'month', 'year'),
  intervalCount: int,
  nextBillingAt: nullable(instant),
  /** The series of its dates, and the cycle that is charged next. */
  anchorAt: instant,
  anchorCycle: int,
  nextCycle: int,
  /** Since when the customer has a membership, or this contract where that is longer. */
  customerSince: instant,
  /** Its first charge, after a trial, is not paid. */
  isInTrial: bool,
  /** Of its plan; null where it has none here. */
  planType: nullable(text),
  maxCycles: nullable(int),
  cyclesPaid: int,
  /** A charge of it is under way. */
  isBeingCharged: bool,
  /** A cycle was declined or is past due. */
  isInDunning: bool,
  /** Other terms wait for the platform. */
  hasWaitingTerms: bool,
  liveOffer: nullable(oneOf('applying', 'active')),
  usedOffers: intList,
  /** When the customer last accepted an offer, on any contract; also one that is being applied. */
  lastAcceptedAt: nullable(instant)
})
/** What decides which offers a contract may accept now. */
export type Situation = RowOf<typeof Situation>

const COLUMNS = `
  s.status, s.currency, s.price_minor, s.member_discount_minor, s.granted_discount_minor, s.delivery_minor,
  s.line_charges_minor, s.line_quantities, t.currency as shop_currency, s.interval, s.interval_count, s.next_billing_at,
  s.anchor_at, s.anchor_cycle, s.next_cycle, least(s.created_at, m.member_since) as customer_since, s.cycle_index = 0 and s.trial_ends_at is not null as is_in_trial,
  p.type as plan_type, s.max_cycles, s.cycles_paid,
  exists (select from billing_attempts a
           where a.store_id = $1 and a.subscription_id = s.id and a.status = 'pending') as is_being_charged,
  s.declines > 0 or s.inventory_failures > 0 or s.past_due_cycle is not null as is_in_dunning,
  exists (select from subscription_changes c where c.store_id = $1 and c.subscription_id = s.id) as has_waiting_terms,
  (select o.status from contract_offers o
    where o.store_id = $1 and o.subscription_id = s.id and o.status <> 'cancelled' limit 1) as live_offer,
  array(select o.offer_id from contract_offers o where o.store_id = $1 and o.subscription_id = s.id) as used_offers,
  (select max(o.accepted_at) from subscriptions other
     join contract_offers o on o.store_id = $1 and o.subscription_id = other.id
    where other.store_id = $1 and other.member_id = s.member_id) as last_accepted_at`

const FROM = `
  from subscriptions s
  join members m on m.store_id = $1 and m.id = s.member_id
  join stores t on t.store_id = $1
  left join plans p on p.store_id = $1 and p.id = s.plan_id`

const situationOf = directSql<[storeId: number, subscriptionId: number]>(
  'churn_situation',
  `select ${COLUMNS} ${FROM} where s.store_id = $1 and s.id = $2`
)

const situationOfContract = directSql<[storeId: number, contractId: string]>(
  'churn_situation_of_contract',
  `select m.platform_customer_id as customer_platform_id,
          date_trunc('milliseconds', coalesce(t.clock_at, clock_timestamp())) as now, ${COLUMNS}
   ${FROM} where s.store_id = $1 and s.platform_contract_id = $2`
)

/** Of one subscription, which exists. */
export const findSituation = ({ tx, storeId }: Ctx, subscriptionId: number): Promise<Situation> =>
  tx.one(Situation, situationOf(storeId, subscriptionId))

/** Whose contract it is, by the platform's number, and the instant of the store's clock. */
const Found = row({ customerPlatformId: text, now: instant })
const FoundSituation = Object.assign((raw: Record<string, unknown>) => ({ ...Found(raw), situation: Situation(raw) }), {
  columns: [...Found.columns, ...Situation.columns]
})

/**
 * Of a contract (platform number), in one statement; null where the store has no such contract. `queries` is the direct pool, outside
 * row-level security, or a transaction.
 */
export const findSituationOfContract = (queries: Queries, storeId: number, contractId: string) =>
  queries.maybeOne(FoundSituation, situationOfContract(storeId, contractId))
