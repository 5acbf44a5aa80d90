import type { CartPrice, Tier } from '#plans/pricing'
import { isOn } from '../../../extensions/member-discounts/src/plan-settings.ts'
import { activeTiers, hasOtherMembership, itemOf, minorOf, priceWith, productsOf } from './cart-prices.ts'
import type { Formats } from './formats.ts'
import { type Milestone, milestonesOf } from './milestones.ts'
import { isSoldIn, type Offer } from './offers.ts'
import { type Fields, isSwitchedOn, type ThemeCart, type ThemeData, textOf } from './theme-data.ts'
import { fill, type Say } from './words.ts'

/** Pay as you go, or the tier of a membership. */
export type Choice = Tier | 'payg'

/** What one way to buy costs and offers. Null where it is not known, or where there is nothing to say. */
export type OptionModel = {
  choice: Choice
  title: string
  subtitle: string | null
  body: string | null
  /** What the products cost, and what they cost without the membership, where that is more. */
  total: string | null
  before: string | null
  fee: string | null
}

/** What the element shows. */
export type Model = {
  /** For a member there is nothing to choose. */
  options: OptionModel[]
  chosen: Choice | null
  title: string | null
  body: string | null
  /** What a member's products cost. */
  total: string | null
  before: string | null
  saved: string | null
  bar: { title: string | null; text: string | null; milestones: Milestone[] } | null
  terms: { text: string; isAsked: boolean } | null
  credit: string | null
  /** Lines that may be bought once or as a subscription; `line` counts from 1. */
  lines: { line: number; quantity: number; label: string; chosen: string; plans: { id: string; name: string }[] }[]
  /** The words of the button to the checkout; null for none. */
  button: string | null
  /** What each item of the cart costs members, in their order; null where it costs them what the theme shows. */
  rows: (string | null)[]
}

export type ModelInput = {
  data: ThemeData
  offers: readonly Offer[]
  formats: Formats
  /** Null: the customer has not chosen. */
  chosen: Choice | null
  say: Say
}

/** Null where the element has nothing to show: no membership is on sale, or the customer has one that is paused. */
export function modelOf(input: ModelInput): Model | null {
  const { data, offers } = input
  const { items } = data.cart
  if (items.length === 0 || hasOtherMembership(data.cart, offers)) return null
  const [active] = activeTiers(data)
  if (active) return memberModel(input, offers.find(({ tier }) => tier === active) ?? null)
  if (data.customer?.subscriptions.some(({ status }) => status === 'ACTIVE' || status === 'PAUSED')) return null
  const sold = offers.filter((offer) => isSoldIn(data, offer) || itemOf(data.cart, offer))
  return sold.length > 0 ? guestModel(input, sold) : null
}

function guestModel(input: ModelInput, sold: readonly Offer[]): Model {
  const { data, offers, formats, say } = input
  const texts = data.metafield('svc_widget_cart_page')
  const chosen = input.chosen ?? defaultChoice(texts, sold)
  const offer = sold.find(({ tier }) => tier === chosen) ?? sold[0]!
  const prices = new Map([null, ...sold].map((one) => [one, priceWith(data, offers, one, formats.decimals)]))
  const price = prices.get(offer) ?? null
  const isIn = itemOf(data.cart, offer) !== undefined
  const values = valuesOf(input, offer, price)
  const isAsked = isOn(data.metafield('svc_agreement').agreement_enabled)
  const terms = shown(texts.cart_disclaimer, values) ?? (isAsked ? say('agree', { amount: feeOf(input, offer) }) : null)
  const join = shown(texts.m_checkout_btn_name, values)
  return {
    ...common(input, { texts, values, offer, price, isMember: chosen !== 'payg' }),
    ...{ body: null, total: null, before: null },
    options: [
      ...sold.map((one): OptionModel => {
        const own = prices.get(one) ?? null
        const filled = valuesOf(input, one, own)
        return {
          choice: one.tier,
          title: shown(texts.m_title, filled) ?? one.name,
          subtitle: shown(texts.m_subtitle, filled),
          body: shown(texts.m_body, filled),
          ...totals(input, own),
          fee: `${one.name}: ${feeOf(input, one)}`
        }
      }),
      {
        choice: 'payg',
        title: shown(texts.r_title, values) ?? say('pay_as_you_go'),
        subtitle: shown(texts.r_subtitle, values),
        body: shown(texts.r_body, values),
        ...totals(input, prices.get(null) ?? null),
        fee: null
      }
    ],
    chosen,
    title: shown(texts.subtitle, values) ?? say('choose'),
    terms: terms === null || chosen === 'payg' ? null : { text: terms, isAsked },
    // What is chosen at first is in no cart before the customer says so: here, or by choosing it.
    button: chosen === 'payg' ? null : isIn ? join : (join ?? say('join'))
  }
}

/** `offer`: the plan by which the member's perks go; null while it is not on sale. */
function memberModel(input: ModelInput, offer: Offer | null): Model {
  const { data, offers, formats } = input
  const texts = data.metafield('svc_widget_cart_page_member')
  const inCart = offers.find((one) => itemOf(data.cart, one)) ?? null
  const price = offer && priceWith(data, offers, inCart, formats.decimals)
  const values = valuesOf(input, offer, price)
  return {
    ...common(input, { texts: data.metafield('svc_widget_cart_page'), values, offer, price, isMember: true }),
    options: [],
    chosen: null,
    title: shown(texts.subtitle, values),
    body: shown(texts.m_body, values),
    ...totals(input, price),
    terms: null,
    button: shown(texts.m_checkout_btn_name, values)
  }
}

/** `isMember`: whether the customer is one, or chose to become one: only then do they save anything. */
type Shown = { texts: Fields; values: Values; offer: Offer | null; price: CartPrice | null; isMember: boolean }

function common(
  input: ModelInput,
  { texts, values, offer, price, isMember }: Shown
): Pick<Model, 'saved' | 'bar' | 'credit' | 'lines' | 'rows'> {
  const { data, offers, say } = input
  const saved = isMember && values.savings ? say('saved', { amount: values.savings }) : null
  const milestones =
    isMember && isOn(texts.enable_progress_bar) && offer && price ? milestonesOf(offer, price, input) : []
  return {
    saved,
    bar:
      milestones.length === 0
        ? null
        : {
            title: shown(texts.progress_bar_title, values),
            text: shown(texts.progress_bar_item, values),
            milestones
          },
    credit: isSwitchedOn(texts.hide_st) || values.credit === null ? null : say('credit', { amount: values.credit }),
    lines: isSwitchedOn(texts.hide_sp) ? [] : subscribable(input),
    rows: rowsOf(data.cart, offers, price, input, offer)
  }
}

function subscribable({ data, offers, say }: ModelInput): Model['lines'] {
  return data.cart.items.flatMap((item, i) => {
    const plans = data.variants[item.variant_id]?.plans ?? []
    if (plans.length === 0 || offers.some(({ productId }) => productId === String(item.product_id))) return []
    return {
      line: i + 1,
      quantity: item.quantity,
      label: say('buy', { product: item.product_title }),
      chosen: String(item.selling_plan_allocation?.selling_plan.id ?? ''),
      plans: plans.map(({ id, name }) => ({ id: String(id), name }))
    }
  })
}

function rowsOf(
  cart: ThemeCart,
  offers: readonly Offer[],
  price: CartPrice | null,
  { formats, say }: ModelInput,
  offer: Offer | null
): Model['rows'] {
  const products = productsOf(cart, offers)
  return cart.items.map((item) => {
    const line = price?.lines[products.indexOf(item)]
    if (!line || !offer || !products.includes(item)) return null
    const shownMinor = minorOf(item.final_price, formats.decimals)
    if (line.memberPriceMinor >= shownMinor) return null
    return `${say('member_price', { plan: offer.label })}: ${formats.money(line.memberPriceMinor)}`
  })
}

type Values = { plan_name: string | null; price: string | null; savings: string | null; credit: string | null }

/** What the placeholders of texts stand for. */
function valuesOf({ data, formats }: ModelInput, offer: Offer | null, price: CartPrice | null): Values {
  const credit = data.customer?.credit ?? null
  return {
    plan_name: offer?.name ?? null,
    price: offer && formats.fee(offer.priceMinor),
    // Savings of nothing are none.
    savings: price?.discountMinor ? formats.money(price.discountMinor) : null,
    credit: credit === null ? null : formats.shopMoney(credit)
  }
}

/** A text of the settings; null for none, and where it says something that is not known, or savings that there are not. */
const shown = (given: unknown, values: Values): string | null => fill(textOf(given), values) || null

const totals = ({ formats, data, offers }: ModelInput, price: CartPrice | null) => {
  // The membership itself is the last line; what its first cycle costs is said beside it.
  if (!price) return { total: null, before: null }
  let [total, off] = [0, 0]
  for (const { totalMinor, discountMinor } of price.lines.slice(0, productsOf(data.cart, offers).length)) {
    total += totalMinor
    off += discountMinor
  }
  return { total: formats.money(total), before: off > 0 ? formats.money(total + off) : null }
}

function feeOf({ formats, say }: ModelInput, { priceMinor, trial, every }: Offer): string {
  const later = formats.each(formats.fee(priceMinor), every)
  if (!trial) return later
  const values = { amount: formats.fee(trial.minor), duration: formats.days(trial.days) }
  return `${say(trial.days > 0 ? 'trial_for' : 'trial', values)} ${later}`
}

const defaultChoice = (texts: Fields, sold: readonly Offer[]): Choice =>
  isOn(texts.cart_default_PAYG) ? 'payg' : sold[0]!.tier
