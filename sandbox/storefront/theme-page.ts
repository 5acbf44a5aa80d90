import { minorOf } from '#kit/money'
import { Refusal } from '#kit/refusal'
import {
  giftsIn,
  giverIn,
  heldIn,
  type Json,
  listOf,
  objectIn,
  objectsIn,
  textIn,
  words
} from '../checkout/metafield-values.ts'
import { PATH_PREFIX } from '../proxy/forward.ts'
import type { Shop } from '../shop.ts'
import type { Metafield } from '../state/metafields.ts'
import { price } from './home.ts'
import { type Html, html } from './html.ts'
import { dayInWords } from './layout.ts'

/** Who is logged in: their metafields, and the contracts that they pay for, as a theme has both of the customer. */
export type ThemeCustomer = { metafields: Metafield[]; contractIds: string[] }

/**
 * A page as a theme makes it: what it says is read from metafields of the shop and the customer in the namespace `svc`. A metafield that
 * is not there, or that says nothing, leaves its part out.
 */
export function themePage(shop: Shop, basePath: string, ofShop: Metafield[], customer: ThemeCustomer | null): Html {
  const plans = objectsIn(ofShop, ['svc_plan_settings', 'svc_plan_settings2'])
  const offered = plans.filter(({ status }) => isOn(status))
  const live = customer ? heldIn(customer.metafields).filter(({ status }) => !ENDED.includes(words(status))) : []
  const own = live.map(({ scid }) => words(scid)).filter((id) => customer!.contractIds.includes(id))
  return html`<h1>Membership</h1>
  ${customer && memberSection(shop, basePath, customer)}
  ${own.length > 0 && html`<div class="choices" data-held="${own.join(' ')}"><a class="button" href="${basePath}/#membership">Manage your membership</a></div>`}
  <section aria-labelledby="plans"><h2 id="plans">What members get</h2>
    ${
      offered.length === 0
        ? html`<p class="soft">This store offers no membership at the moment.</p>`
        : html`<ul class="grid">${offered.map((plan) => planCard(shop, plan, customer ? joinIn(shop, basePath, plan, live, own) : false))}</ul>`
    }
    ${offered.length > 0 && !customer && html`<div class="choices"><a class="button" href="${basePath}/#log-in">Log in to join</a></div>`}
  </section>`
}

const ENDED = ['CANCELLED', 'EXPIRED']

/** The way into a plan for somebody who is logged in, unless they have it. Without scripts it is a form, else the element of the app. */
function joinIn(shop: Shop, basePath: string, plan: Json, live: Json[], own: string[]): Html {
  const held = live.find(({ name }) => words(name) === words(plan.plan_name))
  if (held) {
    const id = words(held.scid)
    // Of a gift the account of the app says nothing.
    return html`<p class="soft" ${own.includes(id) && html`data-held="${id}"`}>You have this membership.</p>`
  }
  const says = ['Join', nameOfPlan(plan)].join(' ')
  const id = words(plan.plan_id)
  return id === ''
    ? html`<p><a class="button" href="${basePath}/#plans">${says}</a></p>`
    : html`<perennial-join plan="${JSON.stringify(plan)}" currency="${shop.currency}" action="${basePath}/cart/add" return-to="${basePath}/cart">
      <form method="post" action="${basePath}/join"><input type="hidden" name="plan" value="${id}"><button>${says}</button></form></perennial-join>`
}

/** Without scripts it says what the metafields say, else what the element of the app reads. */
function memberSection(shop: Shop, basePath: string, { metafields, contractIds }: ThemeCustomer): Html {
  const held = heldIn(metafields)
  const isOwn = ({ scid }: Json) => contractIds.includes(words(scid))
  const credit = textIn(metafields, 'svc_st')
  const details = objectIn(metafields, 'svc_member_details')
  const gifts = giftsIn(metafields)
  const received = held.filter((one) => !isOwn(one))
  return html`<section aria-labelledby="mine"><h2 id="mine">Your membership</h2>
    ${received.length > 0 && html`<div class="grid">${received.map((one) => membershipCard(one, metafields, false))}</div>`}
    <perennial-membership api="${basePath}${PATH_PREFIX}/v1" payment-url="${basePath}/#card" heading-level="3" class="${held.some(isOwn) && 'held'}">
      ${held.length === 0 && html`<p class="soft" slot="empty">You are not a member yet.</p>`}
      <div class="grid">
        ${held.filter(isOwn).map((one) => membershipCard(one, metafields, true))}
        ${(credit !== null || details) && spendingCard(shop, credit, details)}
      </div>
    </perennial-membership>
    ${
      gifts.length > 0 &&
      html`<div class="card"><h3>Your gifts to others</h3><dl>${gifts.map(({ name, to }) => html`<dt>${name}</dt><dd>to ${to}</dd>`)}</dl></div>`
    }
  </section>`
}

const spendingCard = (shop: Shop, credit: string | null, details: Json | null): Html =>
  html`<div class="card"><h3>Yours to spend</h3><dl>
    ${credit !== null && html`<dt>Store credit</dt><dd>${money(credit, shop.currency)}</dd>`}
    ${details && html`<dt>Points</dt><dd>${words(details.loyalty_points)}</dd>`}
    ${details && words(details.birth_date) !== '' && html`<dt>Birthday</dt><dd>${dateOf(details.birth_date)}</dd>`}
  </dl></div>`

/** Who has it as a gift is not shown what the giver pays. */
function membershipCard(one: Json, metafields: Metafield[], isOwn: boolean): Html {
  const status = words(one.status).toLowerCase()
  return html`<div class="card"><h3>${words(one.name)}</h3>
    <p><span class="status ${status}">${status}</span></p>
    <dl>
      ${!isOwn && html`<dt>A gift from</dt><dd>${giverIn(metafields, words(one.scid)) ?? 'another customer'}</dd>`}
      <dt>Member since</dt><dd>${dateOf(one.member_since)}</dd>
      <dt>${isOwn ? 'Next billing' : 'Renews on'}</dt><dd>${dateOf(one.next_billing) || 'none'}</dd>
      ${isOwn && html`<dt>Price</dt><dd>${money(words(one.price), words(one.currency))}</dd>`}
      ${listOf(one.offers).length > 0 && html`<dt>Offers</dt><dd>${listOf(one.offers).length}</dd>`}
    </dl></div>`
}

const nameOfPlan = (plan: Json): string => words(plan.tier_name) || words(plan.plan_name)

function planCard(shop: Shop, plan: Json, join: Html | false): Html {
  const every = Number(plan.i_count) === 1 ? words(plan.i_name) : `${words(plan.i_count)} ${words(plan.i_name)}s`
  const off = (value: unknown, type: unknown) =>
    type === 'percentage' ? `${words(value)}% off` : `${money(words(value), shop.currency)} off`
  const where = { collection: 'chosen collections', product: 'chosen products' }[words(plan.dat)]
  const perks = [
    isOn(plan.ft) && `Try it for ${money(words(plan.ft_price), shop.currency)}`,
    isOn(plan.dp) && `Member prices: ${[off(plan.dv, plan.dt), ...(where ? [where] : [])].join(' ')}`,
    isOn(plan.wo) && `${off(plan.wo_v, plan.wo_t)} one product of your first order`,
    isOn(plan.fs) && [words(plan.fs_message) || 'Free shipping', ...threshold(shop, plan)].join(' from '),
    isOn(plan.store_credit) && 'Store credit with each payment'
  ].filter((perk) => perk !== false)
  return html`<li class="card"><h3>${nameOfPlan(plan)}</h3>
    <p><span class="price">${money(words(plan.product_price), shop.currency)}</span> <span class="soft">every ${every}</span></p>
    ${perks.length > 0 && html`<ul>${perks.map((perk) => html`<li>${perk}</li>`)}</ul>`}
    ${isOn(plan.dp) && html`<p class="soft">Some products, such as those on sale, may have no member price. The cart says what each costs.</p>`}
    ${join}</li>`
}

/** What a cart has to reach for free shipping, if it has to. */
function threshold(shop: Shop, { fs_threshold_type: type, fs_threshold_value: value }: Json): string[] {
  if (type === 'subtotal') return [money(words(value), shop.currency)]
  return type === 'items' ? [`${words(value)} ${Number(value) === 1 ? 'item' : 'items'}`] : []
}

const isOn = (flag: unknown): boolean => Number(flag) === 1

/** A date as the pages show it; what is no date is shown as it is. */
function dateOf(value: unknown): string {
  const text = words(value)
  try {
    return dayInWords(Temporal.PlainDate.from(text))
  } catch (err) {
    if (err instanceof RangeError) return text
    throw err
  }
}

/** An amount as the page shows prices; what is no amount is shown as it is. */
function money(amount: string, currency: string): string {
  try {
    return price(minorOf(amount, currency), currency)
  } catch (err) {
    if (err instanceof Refusal || err instanceof RangeError) return amount
    throw err
  }
}
