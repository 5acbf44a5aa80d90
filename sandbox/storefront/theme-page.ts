import { minorOf } from '#kit/money'
import { Refusal } from '#kit/refusal'
import type { Shop } from '../shop.ts'
import type { Metafield } from '../state/metafields.ts'
import { price } from './home.ts'
import { type Html, html } from './html.ts'

type Json = Record<string, unknown>

/**
 * A page as a theme makes it: everything on it is read from metafields of the shop and the customer in the namespace `svc`, and nothing
 * else. A metafield that is not there, or that says nothing, leaves its part out.
 */
export function themePage(shop: Shop, basePath: string, ofShop: Metafield[], ofCustomer: Metafield[] | null): Html {
  const plans = ['svc_plan_settings', 'svc_plan_settings2'].flatMap((key) => objectsIn(ofShop, key))
  const offered = plans.filter(({ status }) => isOn(status))
  const way = wayOn(basePath, ofCustomer)
  return html`<h1>Membership</h1>
  ${ofCustomer && memberCard(shop, ofCustomer)}
  <section aria-labelledby="plans"><h2 id="plans">What members get</h2>
    ${
      offered.length === 0
        ? html`<p class="soft">This store offers no membership at the moment.</p>`
        : html`<ul class="grid">${offered.map((plan) => planCard(shop, plan))}</ul>`
    }
    ${(offered.length > 0 || way.isMember) && html`<div class="choices"><a class="button" href="${way.to}">${way.says}</a></div>`}
  </section>`
}

/** Where the visitor goes from here. */
function wayOn(basePath: string, ofCustomer: Metafield[] | null) {
  if (!ofCustomer) return { to: `${basePath}/#log-in`, says: 'Log in to join', isMember: false }
  const isMember = heldBy(ofCustomer).some(({ status }) => !ENDED.includes(words(status)))
  return isMember
    ? { to: `${basePath}/#membership`, says: 'Manage your membership', isMember }
    : { to: `${basePath}/#plans`, says: 'Join', isMember }
}

const ENDED = ['CANCELLED', 'EXPIRED']

const heldBy = (metafields: Metafield[]): Json[] =>
  ['customer_subscription1', 'customer_subscription2'].flatMap((key) => objectsIn(metafields, key))

function memberCard(shop: Shop, metafields: Metafield[]): Html {
  const held = heldBy(metafields)
  const gift = objectIn(metafields, 'customer_subscription1_parent')
  const giverOf = ({ scid }: Json) =>
    words(gift?.subscription_id).endsWith(`/${words(scid)}`) ? (gift!.customer as Json) : null
  const details = objectIn(metafields, 'svc_member_details')
  const credit = textIn(metafields, 'svc_st')
  const gifts = listIn(metafields, 'customer_subscription1_gifts')
  if (held.length === 0 && credit === null && !details && gifts.length === 0) {
    return html`<section aria-labelledby="mine"><h2 id="mine">Your card</h2>
      <p class="soft">You are not a member yet.</p></section>`
  }
  return html`<section aria-labelledby="mine"><h2 id="mine">Your card</h2>
    <div class="grid">
      ${held.map(
        (one) => html`<div class="card"><h3>${words(one.name)}</h3>
        <p><span class="status ${words(one.status).toLowerCase()}">${words(one.status).toLowerCase()}</span></p>
        <dl>
          <dt>Member since</dt><dd>${dateOf(one.member_since)}</dd>
          <dt>Next billing</dt><dd>${dateOf(one.next_billing) || 'none'}</dd>
          <dt>Price</dt><dd>${money(words(one.price), words(one.currency))}</dd>
          ${giverOf(one) && html`<dt>A gift from</dt><dd>${nameOf(giverOf(one)!)}</dd>`}
          ${listOf(one.offers).length > 0 && html`<dt>Offers</dt><dd>${listOf(one.offers).length}</dd>`}
        </dl></div>`
      )}
      <div class="card"><h3>Yours to spend</h3><dl>
        ${credit !== null && html`<dt>Store credit</dt><dd>${money(credit, shop.currency)}</dd>`}
        ${details && html`<dt>Points</dt><dd>${words(details.loyalty_points)}</dd>`}
        ${details && words(details.birth_date) !== '' && html`<dt>Birthday</dt><dd>${dateOf(details.birth_date)}</dd>`}
      </dl></div>
    </div>
    ${
      gifts.length > 0 &&
      html`<p>You gave ${gifts.map((gift) => {
        const { customer, subscription } = gift as { customer: Json; subscription: Json }
        return html`<span class="tag">${words(subscription.name)} to ${nameOf(customer)}</span> `
      })}</p>`
    }
  </section>`
}

function planCard(shop: Shop, plan: Json): Html {
  const every = Number(plan.i_count) === 1 ? words(plan.i_name) : `${words(plan.i_count)} ${words(plan.i_name)}s`
  const off = (value: unknown, type: unknown) =>
    type === 'percentage' ? `${words(value)} % off` : `${money(words(value), shop.currency)} off`
  const what = { all: 'everything', collection: 'chosen collections', product: 'chosen products' }
  const perks = [
    isOn(plan.ft) && `Try it for ${money(words(plan.ft_price), shop.currency)}`,
    isOn(plan.dp) && `${off(plan.dv, plan.dt)} ${what[words(plan.dat) as keyof typeof what] ?? ''}`,
    isOn(plan.wo) && `${off(plan.wo_v, plan.wo_t)} one product of your first order`,
    isOn(plan.fs) && [words(plan.fs_message) || 'Free shipping', ...threshold(shop, plan)].join(' from '),
    isOn(plan.store_credit) && 'Store credit with each payment'
  ].filter((perk) => perk !== false)
  return html`<li class="card"><h3>${words(plan.tier_name) || words(plan.plan_name)}</h3>
    <p><span class="price">${money(words(plan.product_price), shop.currency)}</span> <span class="soft">every ${every}</span></p>
    ${perks.length > 0 && html`<ul>${perks.map((perk) => html`<li>${perk}</li>`)}</ul>`}</li>`
}

/** What a cart has to reach for free shipping, if it has to. */
function threshold(shop: Shop, { fs_threshold_type: type, fs_threshold_value: value }: Json): string[] {
  if (type === 'subtotal') return [money(words(value), shop.currency)]
  return type === 'items' ? [`${words(value)} ${Number(value) === 1 ? 'item' : 'items'}`] : []
}

const nameOf = ({ name, email }: Json): string => words(name) || words(email)
const isOn = (flag: unknown): boolean => Number(flag) === 1
const words = (value: unknown): string => (value === undefined || value === null ? '' : String(value))
const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])

/** A date as the other pages show it; what is no date is shown as it is. */
function dateOf(value: unknown): string {
  const text = words(value)
  try {
    return Temporal.PlainDate.from(text).toLocaleString('en-GB', { dateStyle: 'long' })
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

const find = (metafields: Metafield[], key: string) =>
  metafields.find((one) => one.namespace === 'svc' && one.key === key) ?? null

const textIn = (metafields: Metafield[], key: string): string | null => find(metafields, key)?.value ?? null

function jsonIn(metafields: Metafield[], key: string): unknown {
  const text = textIn(metafields, key)
  try {
    return text === null ? null : JSON.parse(text)
  } catch {
    // What somebody wrote by hand is not the theme's to repair.
    return null
  }
}

function objectIn(metafields: Metafield[], key: string): Json | null {
  const found = jsonIn(metafields, key)
  return typeof found === 'object' && found !== null && !Array.isArray(found) ? (found as Json) : null
}

const objectsIn = (metafields: Metafield[], key: string): Json[] => {
  const found = objectIn(metafields, key)
  return found ? [found] : []
}

const listIn = (metafields: Metafield[], key: string): unknown[] => listOf(jsonIn(metafields, key))
