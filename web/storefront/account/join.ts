import type { AccountContract, AccountEvents } from '../../../sdk/src/storefront.ts'
import { h, styleSheets } from '../shared/dom.ts'
import { type FirstPriceField, firstPriceOf } from '../shared/first-price.ts'
import { duration, money, priceEach } from '../shared/format.ts'
import { type Wording, wordingOf } from '../shared/texts.ts'
import { LANGUAGES } from './languages.ts'
import css from './style.css'
import { ENGLISH, type TextKey } from './texts.ts'

const STYLES = styleSheets(css)

/** A plan as `svc_plan_settings` has it. Its flags are 0 or 1, as a number, a text or a truth. */
type Plan = Partial<
  Record<
    | 'status'
    | 'product_variant_id'
    | 'plan_id'
    | 'plan_name'
    | 'tier_name'
    | 'product_price'
    | 'i_name'
    | 'i_count'
    | FirstPriceField,
    string | number | boolean
  >
>

/** What the customer has, as far as a <perennial-membership> of the page has read it. */
let held: AccountContract[] = []

/** A form that puts the membership into the cart, as the theme's own forms put products there. */
export class PerennialJoin extends HTMLElement {
  #plan: Plan | null = null
  /** Who has the plan, or may take its cancellation back, is not asked to join. */
  readonly #know = (event: Event) => {
    held = (event as CustomEvent<AccountEvents['perennial-account-load']>).detail.account.contracts
    this.#offer()
  }

  connectedCallback(): void {
    document.addEventListener('perennial-account-load', this.#know)
    if (!this.shadowRoot) void this.#begin(this.attachShadow({ mode: 'open' }))
  }

  disconnectedCallback(): void {
    document.removeEventListener('perennial-account-load', this.#know)
  }

  #offer(): void {
    const isHeld = held.some(({ name }) => name === this.#plan?.plan_name)
    this.setAttribute('state', this.#plan && !isHeld ? 'ready' : 'none')
  }

  async #begin(root: ShadowRoot): Promise<void> {
    root.adoptedStyleSheets = STYLES
    const plan = this.#read()
    const words = await wordingOf(this, ENGLISH, LANGUAGES)
    const { say, direction } = words
    const variantId = String(plan?.product_variant_id ?? '')
    const sellingPlanId = String(plan?.plan_id ?? '')
    if (!plan || !variantId || !sellingPlanId || !Number(plan.status)) return this.#offer()
    const name = String(plan.tier_name || plan.plan_name)
    const hidden = (key: string, value: string) => h('input', { type: 'hidden', name: key, value })
    const form = h(
      'form',
      {
        class: 'root',
        dir: direction,
        method: 'post',
        action: this.getAttribute('action') ?? '/cart/add',
        onsubmit: (event) => {
          const detail = { name, variantId, sellingPlanId }
          const asked = new CustomEvent('perennial-join', { detail, bubbles: true, composed: true, cancelable: true })
          if (!this.dispatchEvent(asked)) event.preventDefault()
        }
      },
      hidden('id', variantId),
      hidden('quantity', '1'),
      hidden('selling_plan', sellingPlanId),
      hidden('return_to', this.getAttribute('return-to') ?? '/cart'),
      h('button', { part: 'join' }, say('join', { name })),
      ' ',
      this.#price(plan, words)
    )
    root.append(form)
    this.#plan = plan
    this.#offer()
  }

  #read(): Plan | null {
    const text = this.getAttribute('plan') || this.querySelector('script')?.textContent
    try {
      return JSON.parse(text || 'null') as Plan | null
    } catch {
      // A theme without the metafield prints nothing, or something else; then there is no plan to join.
      return null
    }
  }

  #price(plan: Plan, { say, language }: Wording<TextKey>): HTMLElement | null {
    const { product_price: price, i_name: unit, i_count: count } = plan
    const currency = this.getAttribute('currency')
    if (!currency || !unit) return null
    const amount = (text: unknown) => money(language, String(text), currency)
    const later = priceEach(language, amount(price), String(unit).toUpperCase() as 'WEEK' | 'MONTH', Number(count))
    const first = firstPriceOf(plan)
    const values = first && { price: amount(first.price), later, duration: duration(language, 'DAY', first.days) }
    return h('span', { part: 'price' }, values ? say(first.days > 0 ? 'first_for' : 'first', values) : later)
  }
}
