import type {
  Account,
  AccountContract,
  CancelEvents,
  CancellationReason,
  CancelStep,
  ContractOffer,
  MatchedOffer,
  PerennialCancelElement
} from '../../../sdk/src/storefront.ts'
import { API, call, Failure } from '../shared/api.ts'
import { h, own, styleSheets } from '../shared/dom.ts'
import { money } from '../shared/format.ts'
import { type Wording, wordingOf } from '../shared/texts.ts'
import { untilAnswered } from '../shared/until-answered.ts'
import { LANGUAGES } from './languages.ts'
import { createScreen, type Screen } from './screen.ts'
import { type Choice, choiceIn, offerList, reasonsForm } from './steps.ts'
import css from './style.css'
import { ENGLISH, type TextKey } from './texts.ts'

const STYLES = styleSheets(css)
const NO_CHOICE: Choice = { reason: '', comment: '' }
/** Of a cancellation without a choice, as the API has it where none is sent. */
const OTHER = 'other'
/** A page that cannot read the contracts shows its button all the same. */
const LOOK_MS = 2_000

export class PerennialCancel extends HTMLElement implements PerennialCancelElement {
  #words!: Wording<TextKey>
  #screen!: Screen
  /** Those that can be cancelled; null while that is not known. */
  #contracts: AccountContract[] | null = null
  readonly #picker = h('select', { part: 'picker' })
  readonly #button = h('button', { type: 'button', part: 'secondary button', onclick: () => this.start() })
  readonly #again = new EventTarget()
  /** What was asked for an earlier step comes too late. */
  #turn = 0
  #isBusy = false
  #choice: Choice = NO_CHOICE

  connectedCallback(): void {
    if (!this.shadowRoot) void this.#begin(this.attachShadow({ mode: 'open' }))
  }

  start(): void {
    // Read here and nowhere else, and never passed on: the request is the same in both ways.
    const isDirect = window.__sdrfMode === 'b'
    if (!this.#screen || this.#isBusy || !this.#emit('perennial-cancel-start', {})) return
    this.#choice = NO_CHOICE
    if (isDirect) return void this.#submit()
    this.#screen.open()
    void this.#askReason()
  }

  async #begin(root: ShadowRoot): Promise<void> {
    root.adoptedStyleSheets = STYLES
    const wait = new Promise((resolve) => setTimeout(resolve, LOOK_MS))
    const look = this.getAttribute('contract-id') ? null : Promise.race([this.#lookUp().catch(() => null), wait])
    this.#words = await wordingOf(this, ENGLISH, LANGUAGES)
    await look
    const { say, direction } = this.#words
    this.#screen = createScreen({ close: say('close'), onClose: () => this.#emit('perennial-cancel-close', {}) })
    this.#button.textContent = say('button')
    const box = h(
      'div',
      { class: 'root', dir: direction },
      h('label', { hidden: true }, say('choose'), this.#picker),
      this.#button
    )
    box.append(...this.#screen.nodes)
    root.append(box)
    this.#showState()
  }

  get #api(): string {
    return `${this.getAttribute('api') ?? API}/membership`
  }

  get #contractId(): string {
    return this.getAttribute('contract-id') || this.#picker.value
  }

  async #lookUp(): Promise<void> {
    const account = await call<Account>(`${this.#api}/account`).catch((failure: Failure) => {
      // Nobody is logged in.
      if (failure.isTemporary) throw failure
      return { contracts: [] }
    })
    this.#contracts = account.contracts.filter(({ actions }) => actions.cancel)
    const { language } = this.#words ?? { language: 'en' }
    this.#picker.replaceChildren(
      ...this.#contracts.map(({ contract_id: value, name, price, currency }) =>
        h('option', { value }, `${name}, ${money(language, price, currency)}`)
      )
    )
    this.#showState()
  }

  #showState(state?: string): void {
    const isNone = !this.getAttribute('contract-id') && this.#contracts?.length === 0
    this.setAttribute('state', state ?? (isNone ? 'none' : 'ready'))
    this.#button.hidden = this.#isBusy || state === 'cancelled'
    const label = this.#picker.parentElement
    if (label) label.hidden = this.#button.hidden || this.#picker.length < 2
  }

  #emit<Name extends keyof CancelEvents>(name: Name, detail: Omit<CancelEvents[Name], 'contractId'>): boolean {
    return this.dispatchEvent(
      new CustomEvent(name, {
        detail: { contractId: this.#contractId, ...detail },
        bubbles: true,
        composed: true,
        cancelable: true
      })
    )
  }

  /** Whether a step is to be shown. */
  #enter(step: CancelStep): boolean {
    this.#turn++
    return this.#emit('perennial-cancel-step', { step, reason: this.#choice.reason })
  }

  #action(part: string, key: TextKey, onclick: () => unknown): HTMLButtonElement {
    // The second click of two was for what was there before.
    const act = (event: Event) => (event as MouseEvent).detail > 1 || onclick()
    return h('button', { type: 'button', part, onclick: act }, this.#words.say(key))
  }

  #keep = () => this.#action('secondary keep', 'keep', () => this.#screen.close())
  #leave = (onclick = () => this.#confirm()) => this.#action('cancel', 'cancel', onclick)

  /** What the API answers for this step; null when it does not, or too late. */
  async #read<T>(path: string): Promise<T | null> {
    const turn = this.#turn
    this.#screen.say(this.#words.say('loading'))
    const answer = await call<T>(`${this.#api}/churn/${path}`).catch(() => null)
    return turn === this.#turn ? answer : new Promise(() => {})
  }

  async #askReason(): Promise<void> {
    if (!this.#enter('reasons')) return this.#confirm()
    const { say } = this.#words
    this.#screen.show({ title: say('reasons'), actions: [this.#keep(), this.#leave()] })
    const reasons = await this.#read<CancellationReason[]>('reasons')
    if (!reasons?.length) return this.#confirm()
    const choose = () => {
      this.#choice = choiceIn(form)
    }
    const form: HTMLFormElement = reasonsForm(this.#words, reasons, this.#choice, () => {
      choose()
      void this.#askOffers()
    })
    const next = h('button', { type: 'submit', form: 'form', part: 'next' }, say('next'))
    const leave = this.#leave(() => {
      choose()
      this.#confirm()
    })
    this.#screen.show({ title: say('reasons'), body: [form], actions: [this.#keep(), next, leave] })
  }

  async #askOffers(): Promise<void> {
    if (!this.#enter('offers')) return this.#confirm()
    const query = new URLSearchParams({ cancellation_reason: this.#choice.reason })
    if (this.#contractId) query.set('contract_id', this.#contractId)
    const matched = await this.#read<{ offers: MatchedOffer[] }[]>(`offers?${query}`)
    const offers = (matched ?? []).flatMap((one) => one.offers)
    if (offers.length === 0) return this.#confirm()
    const back = this.#action('secondary back', 'back', () => this.#askReason())
    this.#screen.show({
      title: this.#words.say('offers'),
      body: [offerList(this.#words, offers, (offer) => void this.#accept(offer))],
      actions: [back, this.#leave()]
    })
  }

  async #accept(offer: MatchedOffer): Promise<void> {
    const { reason } = this.#choice
    if (!this.#emit('perennial-cancel-accept', { reason, offer })) return
    const turn = this.#turn
    const { say } = this.#words
    this.#screen.say(say('loading'))
    const path = `${encodeURIComponent(this.#contractId)}/offers/${offer.id}/activation`
    const query = new URLSearchParams({ cancellation_reason: reason })
    try {
      const accepted = await call<ContractOffer>(`${this.#api}/churn/${path}?${query}`, {})
      if (turn === this.#turn) {
        this.#screen.show({ title: say('kept'), status: say('applied', { offer: offer.name }), stays: true })
      }
      this.#emit('perennial-cancel-accepted', { reason, offer: accepted })
    } catch (err) {
      if (turn === this.#turn) this.#screen.say(`${say('failed')} ${(err as Failure).message}`)
    }
  }

  #confirm(): void {
    if (!this.#enter('confirmation')) return void this.#submit()
    const { say } = this.#words
    const name = this.#contracts?.find((one) => one.contract_id === this.#contractId)?.name
    this.#screen.show({
      title: say('confirm'),
      body: [name ? h('p', { part: 'name' }, own(name)) : null, h('p', {}, say('ending'))],
      actions: [this.#keep(), this.#leave(() => void this.#submit())]
    })
  }

  async #submit(): Promise<void> {
    const { comment } = this.#choice
    const reason = this.#choice.reason || OTHER
    if (!this.#emit('perennial-cancel-submit', { reason, comment })) return
    const { say } = this.#words
    const stop = new AbortController()
    const keep = this.#action('secondary keep', 'keep', () => {
      stop.abort()
      this.#screen.close()
    })
    const again = this.#action('next', 'again', () => this.#again.dispatchEvent(new Event('again')))
    this.#isBusy = true
    this.#showState()
    this.#screen.show({ title: say('loading'), stays: true, actions: [] })
    let state: string | undefined
    try {
      const done = await untilAnswered(() => this.#send(reason, comment), {
        stop: stop.signal,
        again: [this.#again, window],
        onWait: ({ status }) => {
          this.#screen.show({ title: say('waiting'), status: say('retrying'), actions: [keep, again], stays: true })
          this.#emit('perennial-cancel-wait', { status })
        }
      })
      if (done) state = 'cancelled'
      if (done && this.#emit('perennial-cancel-done', { reason }))
        this.#screen.show({ title: say('done'), stays: true })
      else this.#screen.close()
    } catch (err) {
      const { status, message } = err as Failure
      this.#screen.show({ title: say('refused'), status: message, stays: true })
      this.#emit('perennial-cancel-refused', { status, message })
    }
    this.#isBusy = false
    this.#showState(state)
  }

  /** Cancels. What another try has cancelled before, or somebody else has, is cancelled. */
  async #send(reason: string, comment: string): Promise<true> {
    if (!this.#contractId) {
      await this.#lookUp()
      // Nobody has chosen between them yet.
      if (this.#picker.length > 1) throw new Failure(409, this.#words.say('choose'))
    }
    const id = this.#contractId
    if (!id) throw new Failure(404, this.#words.say('none'))
    const path = `${this.#api}/churn/${encodeURIComponent(id)}/cancellation`
    try {
      await call(path, { reason, ...(comment && { comment }) })
    } catch (err) {
      if ((err as Failure).isTemporary) throw err
      const { contracts } = await call<Account>(`${this.#api}/account`).catch(() => ({ contracts: [] }))
      const status = contracts.find((one: AccountContract) => one.contract_id === id)?.status
      if (status !== 'CANCELLED') throw err
    }
    return true
  }
}
