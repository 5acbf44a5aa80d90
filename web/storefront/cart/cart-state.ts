import { addMembership, CartFailure, readCart, readPage, removeLine, setAttribute, subscribeLine } from './cart-api.ts'
import { isMembership, itemOf, productsOf } from './cart-prices.ts'
import { type Formats, formatsFor } from './formats.ts'
import { type Choice, type Model, modelOf } from './model.ts'
import { type Offer, readOffers } from './offers.ts'
import { isRemembered, remember } from './remembered.ts'
import { report } from './report.ts'
import { type CartItem, readThemeData, type ThemeCart, type ThemeData } from './theme-data.ts'
import type { Say } from './words.ts'

/** The attribute of the cart that says what the customer has agreed to, and how much of it. */
const AGREEMENT = 'svc_agreement'
const MAX_AGREEMENT = 500

/**
 * The cart of the page, and what the customer has chosen: one for all elements. `change` is dispatched when the model may be another;
 * `cart` when the cart of the shop is another by what was done here, so that the theme has to show it.
 */
export class CartState extends EventTarget {
  /** What is said to the customer now: what was done, or that it was not. */
  message = ''
  isAgreed: boolean
  /** What the shop does not forget when it is told to is not said again and again. */
  #mayForget = true
  readonly #rate: number
  #data: ThemeData
  #offers: readonly Offer[] = []
  #formats!: Formats
  readonly say: Say
  /** Null: the first choice is shown, and the customer has not chosen. */
  #chosen!: Choice | null
  /** Changes come one after the other. */
  #last: Promise<unknown> = Promise.resolve()
  #waiting = 0
  readonly #askedFor = new Set<number>()

  /** `rate`: from the currency of the shop to that of the visitor. */
  constructor(data: ThemeData, rate: number, say: Say) {
    super()
    this.#data = data
    this.#rate = rate
    this.say = say
    this.#take(data.cart)
    this.isAgreed = this.#agreedTo !== ''
    // A membership that was in this cart and is there no more was taken out in the theme.
    this.#choose(this.#inCart()?.tier ?? (isRemembered(data.cart.token) ? 'payg' : null))
    this.#tell()
  }

  get data(): ThemeData {
    return this.#data
  }

  get isBusy(): boolean {
    return this.#waiting > 0
  }

  get model(): Model | null {
    const own = { data: this.#data, offers: this.#offers, formats: this.#formats, chosen: this.#chosen }
    return modelOf({ ...own, say: this.say })
  }

  /** Whether the cart says what somebody has agreed to, and sells nothing that it is about. */
  get isStale(): boolean {
    // A theme may ask for it for other subscriptions, too, as long as nobody chose here.
    const isAbout = (item: CartItem) => item.selling_plan_allocation && (this.#chosen !== 'payg' || isMembership(item))
    return this.#mayForget && this.#agreedTo !== '' && !this.#data.cart.items.some(isAbout)
  }

  /** Reads the cart again: the theme may have changed it, and what it has put in or taken out is a choice, too. */
  refresh(): Promise<void> {
    return this.#next(async () => {
      const [before, { token }] = [this.#inCart(), this.#data.cart]
      this.#take(await readCart(this.#data.root))
      await this.#readFacts()
      // What was chosen here meanwhile is about to be carried out.
      if (this.#waiting > 1) return
      const after = this.#inCart()
      if (after) this.#choose(after.tier)
      else if (token !== this.#data.cart.token) this.#choose(null)
      else if (before) this.#choose('payg')
    })
  }

  /** Has the cart sell what is chosen. False: it does not. */
  choose(choice: Choice): Promise<boolean> {
    this.#choose(choice)
    return this.#change(() => this.#follow())
  }

  /** Sets what the customer agrees to; a membership is in the cart only with it. */
  agree(isAgreed: boolean): Promise<boolean> {
    this.isAgreed = isAgreed
    return this.#change(async () => this.#chosen === null || this.#follow())
  }

  /** Has a line bought by a selling plan, or once for ''. */
  subscribe(line: number, quantity: number, plan: string): Promise<boolean> {
    return this.#change(async () => {
      this.#take(await subscribeLine(this.#data.root, line, quantity, plan))
      return true
    })
  }

  /** What the shop refuses leaves the cart as it is, and is said. */
  #change(change: () => Promise<boolean>): Promise<boolean> {
    return this.#next(async () => {
      const before = JSON.stringify(this.#data.cart.items)
      this.message = ''
      let isDone = false
      try {
        isDone = await change()
      } catch (err) {
        if (!(err instanceof CartFailure)) throw err
        this.message = [this.say('failed'), err.message].join(' ').trim()
        this.#choose(this.#inCart()?.tier ?? 'payg')
      }
      if (JSON.stringify(this.#data.cart.items) !== before) this.dispatchEvent(new Event('cart'))
      return isDone
    })
  }

  #next<T>(work: () => Promise<T>): Promise<T> {
    this.#waiting++
    this.#tell()
    const done = this.#last.then(work).finally(() => {
      this.#waiting--
      this.#tell()
    })
    this.#last = done.catch(() => null).then(() => (this.isStale ? this.#note('').catch(report) : null))
    return done
  }

  async #follow(): Promise<boolean> {
    const { root } = this.#data
    this.#take(await readCart(root))
    const wanted = this.#offers.find(({ tier }) => tier === this.#chosen)
    const terms = this.model?.terms
    const isAllowed = this.isAgreed || !terms?.isAsked
    for (const offer of this.#offers) {
      const item = itemOf(this.#data.cart, offer)
      if (!item || (offer === wanted && isAllowed)) continue
      // The keys of other lines may be others then.
      this.#take(await removeLine(root, item.key))
      this.message = this.say('removed', { plan: offer.name })
    }
    // Before the membership, so that none is in the cart without it.
    const agreed = wanted && this.isAgreed && terms?.isAsked ? terms.text.slice(0, MAX_AGREEMENT) : ''
    if (agreed !== this.#agreedTo) await this.#note(agreed)
    if (!wanted) return true
    if (!isAllowed) {
      this.message = this.say('agree_first')
      return false
    }
    if (!itemOf(this.#data.cart, wanted)) {
      await addMembership(root, wanted)
      this.message = this.say('added', { plan: wanted.name })
      this.#take(await readCart(root))
    }
    return true
  }

  #choose(choice: Choice | null): void {
    this.#chosen = choice
    this.isAgreed &&= choice !== null && choice !== 'payg'
  }

  /** What the cart says that the customer has agreed to. */
  get #agreedTo(): string {
    return this.#data.cart.attributes?.[AGREEMENT] ?? ''
  }

  async #note(agreed: string): Promise<void> {
    this.#mayForget = agreed !== ''
    this.#take(await setAttribute(this.#data.root, AGREEMENT, agreed))
  }

  #inCart(): Offer | undefined {
    return this.#offers.find((offer) => itemOf(this.#data.cart, offer))
  }

  #take(cart: ThemeCart): void {
    const { currency, locale } = this.#data
    this.#data = { ...this.#data, cart }
    this.#formats = formatsFor(locale, cart.currency, currency)
    const rate = cart.currency === currency ? 1 : this.#rate
    this.#offers = readOffers(this.#data, { rate, decimals: this.#formats.decimals })
  }

  /** What the theme has printed is about the cart of then: of new products it is read from the page of the cart, once. */
  async #readFacts(): Promise<void> {
    const { cart, variants, root } = this.#data
    const unknown = productsOf(cart, this.#offers)
      .map(({ variant_id }) => variant_id)
      .filter((id) => !variants[id] && !this.#askedFor.has(id))
    if (unknown.length === 0) return
    const page = await readPage(`${root}cart`)
    for (const id of unknown) this.#askedFor.add(id)
    this.#data = { ...this.#data, variants: { ...variants, ...readThemeData(page)?.variants } }
  }

  #tell(): void {
    remember(this.#chosen === 'payg' || this.#inCart() ? this.#data.cart.token : '')
    this.dispatchEvent(new Event('change'))
  }
}
