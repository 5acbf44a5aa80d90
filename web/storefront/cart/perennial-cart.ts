import { h, styleSheet } from '../shared/dom.ts'
import type { CartState } from './cart-state.ts'
import type { Choice, Model } from './model.ts'
import { optionView, priceLine, progress, put, subscription } from './parts.ts'
import { report } from './report.ts'
import css from './style.css'

const STYLE = styleSheet(css)
const elements = new Set<PerennialCart>()
/** What all elements of the page show. Null: the theme has printed nothing for them. */
let state: CartState | null = null
let leave = (): void => {}

/** Has all elements of the page show a cart. `checkOut` goes to the checkout. */
export function showCart(shown: CartState, checkOut: () => void): void {
  state = shown
  leave = checkOut
  const showAll = () => {
    for (const element of elements) element.show()
  }
  shown.addEventListener('change', showAll)
  showAll()
}

/** The choice between a membership and the purchase without one, and what a member's cart comes to. */
export class PerennialCart extends HTMLElement {
  readonly #title = h('legend', { part: 'title' })
  readonly #options = h('div', { part: 'options' })
  readonly #body = h('p', { part: 'body' })
  readonly #price = priceLine()
  readonly #saved = h('p', { part: 'saved' })
  readonly #bar = h('div', { part: 'progress' })
  readonly #credit = h('p', { part: 'credit' })
  readonly #lines = h('div', { part: 'subscriptions' })
  readonly #agreed = h('input', { type: 'checkbox', onchange: () => state?.agree(this.#agreed.checked).catch(report) })
  readonly #terms = h('span')
  readonly #agreement = h('label', { part: 'terms' }, this.#agreed, this.#terms)
  readonly #button = h('button', { part: 'button', type: 'button', onclick: () => this.#checkOut().catch(report) })
  readonly #message = h('p', { part: 'message', role: 'status' })
  readonly #all = h(
    'fieldset',
    { part: 'widget' },
    ...[this.#title, this.#options, this.#body, this.#price.line, this.#saved, this.#bar, this.#credit, this.#lines],
    ...[this.#agreement, this.#button, this.#message]
  )
  /** What the theme has put into the element is shown where there is nothing else. */
  readonly #fallback = h('slot')
  #shownOptions: ReturnType<typeof optionView>[] = []
  #shownLists = ''

  constructor() {
    super()
    const root = this.attachShadow({ mode: 'open' })
    root.adoptedStyleSheets = [STYLE]
    root.append(this.#all, this.#fallback)
  }

  connectedCallback(): void {
    elements.add(this)
    this.show()
  }

  disconnectedCallback(): void {
    elements.delete(this)
  }

  show(): void {
    const model = state?.model ?? null
    this.#all.hidden = model === null
    this.#fallback.hidden = model !== null
    if (!state || !model) return
    this.#all.setAttribute('aria-busy', String(state.isBusy))
    this.#showOptions(model, state)
    this.#showLists(model, state)
    put(this.#title, model.title)
    put(this.#body, model.body)
    this.#price.show(model, state.say)
    put(this.#saved, model.saved)
    put(this.#credit, model.credit)
    this.#agreement.hidden = model.terms === null
    // A label of a box that is not shown would tick it, too.
    this.#agreed.hidden = this.#agreed.disabled = !model.terms?.isAsked
    this.#agreed.checked = state.isAgreed
    put(this.#terms, model.terms?.text ?? null)
    put(this.#button, model.button)
    // A live region is there before it says something.
    if (this.#message.textContent !== state.message) this.#message.textContent = state.message
  }

  /** The inputs stay the same ones as long as they can, so that none loses its focus. */
  #showOptions({ options, chosen }: Model, { say }: CartState): void {
    const choices = options.map(({ choice }) => choice)
    if (this.#shownOptions.map(({ input }) => input.value).join() !== choices.join()) {
      this.#shownOptions = choices.map((choice) => optionView(choice, () => this.#choose(choice)))
      this.#options.replaceChildren(...this.#shownOptions.map(({ label }) => label))
    }
    for (const [i, view] of this.#shownOptions.entries()) view.show(options[i]!, choices[i] === chosen, say)
  }

  #showLists({ bar, lines }: Model, { say }: CartState): void {
    const shown = JSON.stringify([bar, lines])
    if (shown === this.#shownLists) return
    this.#shownLists = shown
    this.#bar.replaceChildren(...(bar ? progress(bar) : []))
    this.#lines.replaceChildren(
      ...lines.map((one) =>
        subscription(one, say, (plan) => state?.subscribe(one.line, one.quantity, plan).catch(report))
      )
    )
  }

  /** A theme may keep the choice from being carried out by `preventDefault`. */
  async #choose(choice: Choice): Promise<void> {
    const event = new CustomEvent('perennial-cart-choose', {
      bubbles: true,
      cancelable: true,
      composed: true,
      detail: { choice }
    })
    if (!this.dispatchEvent(event)) return this.show()
    await state?.choose(choice)
  }

  async #checkOut(): Promise<void> {
    const { options, chosen } = state?.model ?? {}
    const isReady = options?.length === 0 || (chosen && (await state?.choose(chosen)))
    if (isReady) leave()
    else if (state?.model?.terms?.isAsked && !state.isAgreed) this.#agreed.focus()
  }
}
