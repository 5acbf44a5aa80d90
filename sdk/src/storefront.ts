// Types only, for the code of a theme: `import type { CancelEvents } from '@perennial/sdk/storefront'`.
import type { Account, AccountContract, ContractAction, ContractOffer, MatchedOffer } from './storefront-answers.ts'

export type * from './storefront-answers.ts'

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

/** A way to buy in the cart: a membership of a tier, or pay as you go. */
export type CartChoice = 'vip' | 'elite' | 'payg'

/** The events of `<perennial-cart>` and what their `detail` has. */
export type CartEvents = {
  /** The customer chooses how to buy. Prevented: nothing is changed. It bubbles. */
  'perennial-cart-choose': { choice: CartChoice }
  /** The cart was changed. On `document`. Prevented: the theme shows the cart itself. `cart` is what `GET /cart.js` returns. */
  'perennial-cart-change': { cart: { token: string; currency: string; items: Record<string, unknown>[] } }
  /** Something is wrong in the element. On `document`. */
  'perennial-cart-error': { error: unknown }
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
  interface HTMLElementEventMap
    extends ElementEvents<CancelEvents & AccountEvents & Pick<CartEvents, 'perennial-cart-choose'>> {}
  interface DocumentEventMap extends ElementEvents<CartEvents> {}
}
