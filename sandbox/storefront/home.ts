import { currencyDecimals, decimalOf } from '#kit/money'
import { chargeOf } from '../billing/charge.ts'
import { declineOf, OUTCOMES, type SpecialOutcome } from '../billing/outcomes.ts'
import { contractsHeld, type Holdings } from '../checkout/holdings.ts'
import { kindOf, type Offer, type OfferKind } from '../checkout/offers.ts'
import { planPricing } from '../contracts/lines.ts'
import { heldContract } from '../controls/checkout.ts'
import { PATH_PREFIX } from '../proxy/forward.ts'
import type { Shop } from '../shop.ts'
import type { Attempt } from '../state/attempts.ts'
import type { Checkout } from '../state/checkouts.ts'
import type { Contract, Interval } from '../state/contracts.ts'
import { type Customer, displayNameOf } from '../state/customers.ts'
import type { GiftCard } from '../state/gift-cards.ts'
import type { Order } from '../state/orders.ts'
import type { PaymentMethod } from '../state/payment-methods.ts'
import { type Html, html } from './html.ts'
import { day } from './layout.ts'

export type Account = {
  customer: Customer
  card: PaymentMethod | null
  holdings: Holdings
  /** Those that the customer pays for and holds, the newest first. */
  contracts: (Contract & { kind: OfferKind })[]
  /** Charges that the customer has to confirm. */
  challenged: Attempt[]
  /** Checkouts that the customer has to confirm, or has not confirmed in time. */
  checkouts: Checkout[]
  orders: Order[]
  /** Store credit in the shop's currency. */
  creditMinor: number
  /** Those that can be spent. */
  giftCards: GiftCard[]
}

const REASONS = {
  too_expensive: 'It is too expensive',
  not_using: 'I do not use it enough',
  missing_benefits: 'The benefits are not what I want',
  better_offer: 'I found something better',
  technical_issues: 'Something does not work',
  other: 'Another reason'
}

export function price(amountMinor: number, currency: string): string {
  const decimals = currencyDecimals(currency)
  const format = {
    style: 'currency',
    currency,
    minimumFractionDigits: decimals,
    maximumFractionDigits: decimals
  } as const
  return new Intl.NumberFormat('en', format).format(Number(decimalOf(amountMinor, currency)))
}

function every({ interval, intervalCount }: { interval: Interval; intervalCount: number }): string {
  const unit = interval.toLowerCase()
  return intervalCount === 1 ? `every ${unit}` : `every ${intervalCount} ${unit}s`
}

/** What a plan costs at first and later, and how often. */
export function planPrice(shop: Shop, plan: Offer['plan'], basePriceMinor: number): Html {
  const { priceMinor, cycleDiscounts } = planPricing(plan, basePriceMinor)
  const then = cycleDiscounts[0] && `now, then ${price(cycleDiscounts[0].computedPriceMinor, shop.currency)} `
  return html`<p><span class="price">${price(priceMinor, shop.currency)}</span>
    <span class="soft">${then}${every(plan.billingPolicy)}</span></p>`
}

/** What a plan calls itself, where its product's name does not say it. */
export function planName({ plan, product }: Offer): Html | false {
  const words = plan.description || plan.name
  return words !== product.title && html`<p class="soft">${words}</p>`
}

/** What a checkout says of the plan in it. */
export const startedText = (kind: OfferKind, contractId: string): string =>
  `Your ${kind} has started (contract ${contractId}).`

export function visitorPage(shop: Shop, basePath: string, offers: Offer[], customers: Customer[]): Html {
  return html`<h1>${shop.name}</h1>
  <section aria-labelledby="log-in">
    <h2 id="log-in">Log in as a test customer</h2>
    <div class="grid">
      ${
        customers.length > 0 &&
        html`<form class="card" method="post" action="${basePath}/session">
        <label>Existing customer
          <select name="customer">${customers.map(
            (customer) => html`<option value="${customer.id}">${displayNameOf(customer)} (${customer.email})</option>`
          )}</select>
        </label>
        <label>Or by e-mail address
          <input name="known_email" type="email" maxlength="255" autocomplete="off">
        </label>
        <button>Log in</button>
      </form>`
      }
      <form class="card" method="post" action="${basePath}/session">
        <label>New customer: e-mail address
          <input name="email" type="email" required maxlength="255" autocomplete="off" placeholder="name@example.com">
        </label>
        <label>First name <input name="first_name" maxlength="100" autocomplete="off"></label>
        <label>Last name <input name="last_name" maxlength="100" autocomplete="off"></label>
        <button>Create account</button>
      </form>
    </div>
  </section>
  ${plans(shop, basePath, offers, null)}`
}

export function accountBar(basePath: string, customer: Customer): Html {
  return html`<div class="who">
    <span>${displayNameOf(customer)}</span>
    <form class="inline" method="post" action="${basePath}/session/end"><button class="quiet">Log out</button></form>
  </div>`
}

export function accountPage(shop: Shop, basePath: string, offers: Offer[], account: Account): Html {
  const { contracts, challenged, checkouts, orders, holdings } = account
  const held = contractsHeld(holdings)
  const memberships = contracts.filter(({ kind }) => kind === 'membership')
  const subscriptions = contracts.filter(({ kind }) => kind === 'subscription')
  return html`<h1>Hello, ${account.customer.firstName || displayNameOf(account.customer)}</h1>
  ${challenged.map(
    (attempt) => html`<section class="notice problem" role="alert">
      <h2>Your bank wants you to confirm a payment</h2>
      <p><a href="${basePath}/challenges/${attempt.challenge}">Review and confirm the payment</a></p>
    </section>`
  )}
  ${openCheckouts(basePath, offers, checkouts, held)}
  <section aria-labelledby="membership">
    <h2 id="membership">My membership</h2>
    ${
      memberships.length + holdings.received.length === 0
        ? html`<p class="soft">You have no membership yet. Pick a plan below.</p>`
        : html`<ul class="grid">${memberships.map((contract) => contractCard(shop, basePath, contract))}
          ${holdings.received.map((received) => receivedCard(shop, received))}</ul>`
    }
  </section>
  ${
    holdings.given.length > 0 &&
    html`<section aria-labelledby="given">
    <h2 id="given">Memberships I gave to others</h2>
    <ul class="grid">${holdings.given.map(({ contract, to }) => contractCard(shop, basePath, { ...contract, kind: 'membership' }, to))}</ul>
  </section>`
  }
  ${
    subscriptions.length > 0 &&
    html`<section aria-labelledby="subscriptions">
    <h2 id="subscriptions">My subscriptions</h2>
    <ul class="grid">${subscriptions.map((contract) => contractCard(shop, basePath, contract))}</ul>
  </section>`
  }
  <section aria-labelledby="card">
    <h2 id="card">My card</h2>
    ${cardSection(basePath, account)}
  </section>
  ${creditSection(shop, account)}
  <section aria-labelledby="orders">
    <h2 id="orders">My orders</h2>
    ${orders.length === 0 ? html`<p class="soft">No orders yet.</p>` : orderTable(shop, orders)}
  </section>
  ${plans(shop, basePath, offers, held)}`
}

/**
 * The payments of checkouts that wait for the customer, and those that waited in vain for a plan that the customer has not
 * joined.
 */
function openCheckouts(basePath: string, offers: Offer[], checkouts: Checkout[], held: Contract[]): Html[] {
  const joined = new Set(offers.filter((offer) => heldContract(held, offer)).map(({ plan }) => plan.id))
  const offerOf = (id: string) => offers.find(({ plan }) => plan.id === id)
  const nameOf = (id: string) => offerOf(id)?.product.title ?? 'your membership'
  const kindOfPlan = (id: string) => (offerOf(id) ? kindOf(offerOf(id)!.product) : 'membership')
  return checkouts
    .filter(({ sellingPlanId }) => !joined.has(sellingPlanId))
    .map(({ challenge, status, amountMinor, currency, sellingPlanId }) =>
      status === 'open'
        ? html`<section class="notice problem" role="alert">
      <h2>Your checkout waits for your bank</h2>
      <p>${nameOf(sellingPlanId)}, ${price(amountMinor, currency)}: nothing is charged until you confirm the payment.</p>
      <p><a href="${basePath}/challenges/${challenge}">Go on to your bank</a></p>
    </section>`
        : html`<section class="notice problem" role="status">
      <h2>The payment was not confirmed in time</h2>
      <p>${nameOf(sellingPlanId)}, ${price(amountMinor, currency)}: nothing was charged, and no ${kindOfPlan(sellingPlanId)} has started. Try again below.</p>
    </section>`
    )
}

/** `held` are the contracts of what the customer holds; null for a visitor. */
function plans(shop: Shop, basePath: string, offers: Offer[], held: Contract[] | null): Html {
  const cards = (kind: OfferKind) =>
    offers.filter(({ product }) => kindOf(product) === kind).map((offer) => planCard(shop, basePath, kind, offer, held))
  const [memberships, subscriptions] = [cards('membership'), cards('subscription')]
  return html`<section aria-labelledby="plans">
    <h2 id="plans">Memberships</h2>
    ${
      memberships.length === 0
        ? html`<p class="soft">This store sells no membership yet.</p>`
        : html`<ul class="grid">${memberships}</ul>`
    }
  </section>
  ${
    subscriptions.length > 0 &&
    html`<section aria-labelledby="product-plans"><h2 id="product-plans">Subscriptions</h2>
    <ul class="grid">${subscriptions}</ul></section>`
  }`
}

const PLAN_WORDS = {
  membership: { get: 'Join', logIn: 'Log in to join', mine: '#membership' },
  subscription: { get: 'Subscribe to', logIn: 'Log in to subscribe', mine: '#subscriptions' }
}

function planCard(shop: Shop, basePath: string, kind: OfferKind, offer: Offer, held: Contract[] | null): Html {
  const { plan, product, variant } = offer
  const words = PLAN_WORDS[kind]
  return html`<li class="card">
        <h3>${product.title}</h3>
        ${planPrice(shop, plan, variant.priceMinor)}
        ${planName(offer)}
        ${
          held === null
            ? html`<p><a href="#log-in">${words.logIn}</a></p>`
            : heldContract(held, offer)
              ? html`<p><a href="${words.mine}">You have this ${kind}</a></p>`
              : html`<form method="post" action="${basePath}/join"><input type="hidden" name="plan" value="${plan.id}">
          <button>${words.get} ${product.title}</button></form>`
        }
      </li>`
}

/** `givenTo` is who holds it, where that is somebody else. Without scripts its form cancels it, else the element of the app. */
function contractCard(
  shop: Shop,
  basePath: string,
  contract: Account['contracts'][number],
  givenTo: string | null = null
): Html {
  const { kind } = contract
  // The order of the checkout is before the first cycle.
  const { totalMinor, discounts } = chargeOf(contract, 1)
  return html`<li class="card">
    ${contractHead(contract)}
    <dl>
      ${givenTo !== null && html`<dt>A gift to</dt><dd>${givenTo}</dd>`}
      <dt>Price</dt><dd>${price(totalMinor, contract.currency)} ${every(contract.billingPolicy)}</dd>
      ${discounts.length > 0 && html`<dt>Discount</dt><dd>${discounts.map(({ title }) => title).join(', ')}</dd>`}
      <dt>Next billing</dt><dd>${nextDay(shop, contract)}</dd>
      ${contract.lastPaymentStatus && html`<dt>Last payment</dt><dd>${contract.lastPaymentStatus.toLowerCase()}</dd>`}
      <dt>Contract</dt><dd>${contract.id}</dd>
    </dl>
    ${
      !hasEnded(contract) &&
      html`<perennial-cancel contract-id="${contract.id}" api="${basePath}${PATH_PREFIX}/v1" text-button="${`Cancel this ${kind}`}"><details><summary>Cancel this ${kind}</summary>
      <form method="post" action="${basePath}/memberships/${contract.id}/cancel">
        <label>Why are you leaving?
          <select name="reason">${Object.entries(REASONS).map(
            ([value, words]) => html`<option value="${value}">${words}</option>`
          )}</select>
        </label>
        <label>Anything to add? <textarea name="comment" rows="2" maxlength="1024"></textarea></label>
        <button class="danger">Cancel ${kind}</button>
      </form></details></perennial-cancel>`
    }
  </li>`
}

/** A membership that somebody else pays for: the price and the cancellation are theirs. */
function receivedCard(shop: Shop, { contract, from }: Holdings['received'][number]): Html {
  return html`<li class="card">
    ${contractHead(contract)}
    <dl>
      <dt>A gift from</dt><dd>${from ?? 'another customer'}</dd>
      <dt>Renews on</dt><dd>${nextDay(shop, contract)}</dd>
    </dl>
  </li>`
}

const contractHead = ({ lines, status }: Contract): Html => html`<h3>${lines.map((line) => line.title).join(', ')}</h3>
    <p><span class="status ${status.toLowerCase()}">${status.toLowerCase()}</span></p>`

const hasEnded = ({ status }: Contract) => status === 'CANCELLED' || status === 'EXPIRED'

function nextDay(shop: Shop, contract: Contract): string {
  if (hasEnded(contract)) return 'none'
  return contract.nextBillingAt ? day(shop, contract.nextBillingAt) : 'not set'
}

const OUTCOME_WORDS: Record<SpecialOutcome, string> = {
  success: 'Payments succeed',
  '3ds': 'The bank asks to confirm (3-D Secure)',
  late: 'The result arrives 26 hours late',
  never: 'There is no result, ever, and nothing is charged',
  lost: 'Charged, and the result is never reported',
  duplicate: 'Everything is reported twice',
  reported_failed: 'Reported as failed although it is paid',
  corrected: 'Reported as failed, and an hour later as paid',
  reversed: 'Reported as paid, and an hour later as failed'
}

function cardSection(basePath: string, { customer, card }: Account): Html {
  const words = (outcome: string) => OUTCOME_WORDS[outcome as SpecialOutcome] ?? outcome.replaceAll('_', ' ')
  const option = (outcome: string) =>
    html`<option value="${outcome}" ${outcome === customer.outcome ? { markup: 'selected' } : ''}>${words(outcome)}</option>`
  return html`<div class="card">
    <p>${card ? html`${card.brand} ending in ${card.lastDigits}, good until ${card.expiryMonth}/${card.expiryYear}` : 'No card on file.'}</p>
    <form method="post" action="${basePath}/card">
      <label>What this test card does
        <select name="outcome">
          <optgroup label="Payments that are not declined">${OUTCOMES.filter((o) => !declineOf(o)).map(option)}</optgroup>
          <optgroup label="Payments that are declined">${OUTCOMES.filter((o) => declineOf(o)).map(option)}</optgroup>
        </select>
      </label>
      <button class="quiet">Set the card</button>
    </form>
    ${customer.script.length > 0 && html`<p class="soft">Before that, once each: ${customer.script.map(words).join(', ')}</p>`}
  </div>`
}

function creditSection(shop: Shop, { creditMinor, giftCards }: Account): Html {
  if (creditMinor === 0 && giftCards.length === 0) return html``
  return html`<section aria-labelledby="credit">
    <h2 id="credit">My store credit</h2>
    <div class="card"><dl>
      ${creditMinor > 0 && html`<dt>Store credit</dt><dd>${price(creditMinor, shop.currency)}, to be spent at the checkout</dd>`}
      ${giftCards.map(
        ({ code, balanceMinor, currency }) =>
          html`<dt>Gift card</dt><dd><span class="code">${code}</span>, ${price(balanceMinor, currency)}. Enter the code at the checkout</dd>`
      )}
    </dl></div>
  </section>`
}

/** A cancelled order may be paid all the same: the money is given back by a refund. */
function stateOf({ cancelledAt, financialStatus }: Order): string {
  const payment = financialStatus.replace('_', ' ')
  return cancelledAt === null ? payment : `cancelled, ${payment}`
}

function orderTable(shop: Shop, orders: Order[]): Html {
  return html`<div class="table" role="group" aria-labelledby="orders" tabindex="0"><table class="stacked">
    <thead><tr><th scope="col">Order</th><th scope="col">Day</th><th scope="col">For</th><th scope="col">State</th>
      <th scope="col" class="number">Total</th></tr></thead>
    <tbody>${orders.map(
      (order) => html`<tr>
      <td data-label="Order">#${order.number}</td><td data-label="Day">${day(shop, order.createdAt)}</td>
      <td class="wide" data-label="For">${order.lines.map((line) => line.title).join(', ')}</td>
      <td data-label="State">${stateOf(order)}</td>
      <td class="number" data-label="Total">${price(order.totalMinor, order.currency)}</td>
    </tr>`
    )}</tbody></table></div>`
}
