// What the storefront API answers to the customer who is logged in.

/** What a contract lets its customer do now. */
export type ContractAction = 'cancel' | 'reactivate' | 'pause' | 'resume' | 'skip'

export type ContractStatus = 'ACTIVE' | 'PAUSED' | 'CANCELLED' | 'FAILED' | 'EXPIRED'

/** A contract of the customer who is logged in. Amounts are decimal texts, dates are days of the shop; an empty text is none. */
export type AccountContract = {
  /** The platform's number. */
  contract_id: string
  name: string
  kind: 'VIP' | 'Elite' | 'product'
  status: ContractStatus
  price: string
  currency: string
  interval_name: IntervalName
  interval_count: number
  next_billing_date: string
  cancelled_date: string
  /** Until when the cancellation can be taken back; empty where it cannot. */
  reactivate_until: string
  /** When a pause ends. */
  resumes_at: string
  actions: Record<ContractAction, boolean>
  offer: ContractOffer | null
  /** What the next payment costs with the offer. */
  price_with_offer: string
}

export type IntervalName = 'YEAR' | 'MONTH' | 'WEEK' | 'DAY'

/** `GET /membership/account`: the newest contract first, at most 250. */
export type Account = {
  currency: string
  timezone: string
  store_credit: string
  loyalty_points: number
  contracts: AccountContract[]
}

/** Why somebody leaves, as the store words it. */
export type CancellationReason = { id: number; alias: string; title: string; description: string | null }

export type OfferType = 'discount_price' | 'change_frequency' | 'add_store_credits'

export type Offer = {
  id: number
  name: string
  description: string | null
  type: OfferType
  rules: Record<string, string | number | null>
}

/** An offer that a contract may accept now, and what it leads to. */
export type MatchedOffer = Offer & { preview?: OfferPreview }

export type OfferPreview = {
  price: string
  price_with_offer: string
  currency: string
  /** For how many payments; null for all that follow. */
  cycles: number | null
  interval_name: IntervalName
  interval_count: number
  next_billing_date: string
  /** The store credit that it gives; empty for none. */
  credit_amount: string
}

/** An offer that a contract has or had. */
export type ContractOffer = {
  offer: Offer
  reward: Record<string, unknown>
  status: 'Active' | 'Cancelled'
  deleted_at: string | null
}
