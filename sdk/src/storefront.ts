// Types only, for the code of a theme: `import type { CancelEvents } from '@perennial/sdk/storefront'`.

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
  /** When a pause ends. */
  resumes_at: string
  actions: Record<ContractAction, boolean>
  offer: ContractOffer | null
  /** What the next payment costs with the offer. */
  price_with_offer: string
}

export type IntervalName = 'YEAR' | 'MONTH' | 'WEEK' | 'DAY'

/** `GET /membership/account`: the newest contract first. */
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

export type CancelStep = 'reasons' | 'offers' | 'confirmation'

/** The events of `<perennial-cancel>` and what their `detail` has. They bubble, out of shadow roots too. */
export type CancelEvents = {
  /** The customer asks to cancel. Prevented: nothing happens. */
  'perennial-cancel-start': { contractId: string }
  /** A step is about to be shown. Prevented: it is left out, and the next one follows. */
  'perennial-cancel-step': { contractId: string; step: CancelStep; reason: string }
  /** An offer is about to be accepted. Prevented: it is not. */
  'perennial-cancel-accept': { contractId: string; reason: string; offer: MatchedOffer }
  /** An offer was accepted, and the contract goes on. */
  'perennial-cancel-accepted': { contractId: string; reason: string; offer: ContractOffer }
  /** The contract is about to be cancelled. Prevented: it is not. */
  'perennial-cancel-submit': { contractId: string; reason: string; comment: string }
  /** The service does not answer; the element tries again. */
  'perennial-cancel-wait': { contractId: string; status: number }
  /** The service refused to cancel, with a sentence for the customer. */
  'perennial-cancel-refused': { contractId: string; status: number; message: string }
  /** The contract is cancelled. Prevented: the element does not say so. */
  'perennial-cancel-done': { contractId: string; reason: string }
  /** The dialog is closed, by the customer or at the end. */
  'perennial-cancel-close': { contractId: string }
}

/** `<perennial-cancel>`: a button that cancels a contract of the customer who is logged in. */
export interface PerennialCancelElement extends HTMLElement {
  /** Begins as a press of the button does. */
  start(): void
}

/** The events of `<perennial-membership>` and `<perennial-join>` and what their `detail` has. */
export type AccountEvents = {
  /** The account was read, and is shown. */
  'perennial-account-load': { account: Account }
  /** The customer asks for a change. Prevented: nothing happens. */
  'perennial-account-action': { contractId: string; action: ContractAction }
  /** A contract was changed here. */
  'perennial-account-changed': { contractId: string; action: ContractAction; contract: AccountContract }
  /** The membership is about to be put into the cart by a form. Prevented: it is not, and the theme does it. */
  'perennial-join': { name: string; variantId: string; sellingPlanId: string }
}

/** `<perennial-membership>`: what the customer who is logged in has, and what they may do with it. */
export interface PerennialMembershipElement extends HTMLElement {
  /** Reads the account again. */
  reload(): Promise<void>
}

type ElementEvents<Details> = { [Name in keyof Details]: CustomEvent<Details[Name]> }

declare global {
  interface Window {
    /** Exactly `b`, set before the customer presses the button: the contract is cancelled without further questions. */
    __sdrfMode?: unknown
  }
  interface HTMLElementTagNameMap {
    'perennial-cancel': PerennialCancelElement
    'perennial-membership': PerennialMembershipElement
  }
  interface HTMLElementEventMap extends ElementEvents<CancelEvents & AccountEvents> {}
}
