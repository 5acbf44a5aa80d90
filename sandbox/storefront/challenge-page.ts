import type { OfferKind } from '../checkout/offers.ts'
import { price, startedText } from './home.ts'
import { type Html, html } from './html.ts'

/** A payment that the customer's bank asks about, and what came of it. */
export type Challenge = {
  /** Of a checkout; otherwise of a renewal. */
  isCheckout: boolean
  status: 'open' | 'paid' | 'refused' | 'expired'
  amountMinor: number
  currency: string
  /** What it pays; null for a checkout that is not paid. */
  contractId: string | null
  kind: OfferKind
}

/** The page on which the customer confirms or refuses a payment (3-D Secure). Afterwards it says the result. */
export function challengePage(basePath: string, challenge: string, found: Challenge): Html {
  const amount = html`<p class="price">${price(found.amountMinor, found.currency)}</p>`
  if (found.status !== 'open') {
    const kind = found.status === 'paid' ? 'done' : 'problem'
    return html`<h1>${challengeTitle(found)}</h1>
  <section class="notice ${kind}" role="status">
    ${amount}
    <p>${resultOf(found)}</p>
  </section>
  <p><a href="${basePath}/">Back to the store</a></p>`
  }
  return html`<h1>${challengeTitle(found)}</h1>
  <div class="card">
    ${amount}
    <p>Your bank asks whether you want to make this payment${found.isCheckout && ` for your new ${found.kind}`}.</p>
    <form class="choices" method="post" action="${basePath}/challenges/${challenge}">
      <button name="decision" value="confirmed">Confirm the payment</button>
      <button class="danger" name="decision" value="refused">Refuse it</button>
    </form>
  </div>`
}

/** The heading of the page, and its title. */
export const challengeTitle = ({ status }: Challenge): string => TITLES[status]

const TITLES = {
  open: 'Confirm a payment',
  paid: 'The payment is confirmed',
  refused: 'The payment is refused',
  expired: 'The payment was not confirmed in time'
}

function resultOf({ isCheckout, status, contractId, kind }: Challenge): string {
  if (status === 'paid') {
    return isCheckout
      ? `Welcome! ${startedText(kind, contractId!)}`
      : `Your ${kind} continues (contract ${contractId}).`
  }
  return isCheckout
    ? `Nothing was charged, and no ${kind} has started.`
    : `Nothing was charged. Your ${kind} has an unpaid cycle.`
}
