import type {
  AccountContract,
  CancelEvents,
  CancellationReason,
  CancelStep,
  ContractOffer,
  MatchedOffer,
  PerennialCancelElement
} from '../../../sdk/src/storefront.ts'
import { readAccount } from '../shared/account.ts'
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
/** What accepting an offer has come to, with words for it. */
type Activation = [isAccepted: boolean, status: string]

/** A page that cannot read the contracts shows its button all the same. */
const LOOK_MS = 2_000
/** What has just begun at the platform is known to the service by then. */
const LOOK_AGAIN_MS = 5_000

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
  /** While an offer is being accepted: nothing else begins before that is known. */
  #activation: Promise<Activation> | null = null

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
    // Where the page says already that there is something to cancel, nobody is asked.
    const look = () => this.#lookUp().catch(() => null)
    const looked = this.hasAttribute('state') || Promise.race([look(), wait])
    this.#words = await wordingOf(this, ENGLISH, LANGUAGES)
    await looked
    const { say, direction } = this.#words
    this.#screen = createScreen({ close: say('close'), onClose: () => this.#emit('perennial-cancel-close', {}) })
    this.#button.textContent = say('button')
    const box = h('div', { class: 'root', dir: direction }, h('label', {}, say('choose'), this.#picker), this.#button)
    box.append(...this.#screen.nodes)
    root.append(box)
    this.#showState()
    if (this.#contracts?.length === 0) setTimeout(look, LOOK_AGAIN_MS)
  }

  get #api(): string {
    return `${this.getAttribute('api') ?? API}/membership`
  }

  get #query(): string {
    return `cancellation_reason=${encodeURIComponent(this.#choice.reason)}`
  }

  get #contractId(): string {
    // It may be given as a global id.
    return this.getAttribute('contract-id')?.match(/\d+$/)?.[0] ?? this.#picker.value
  }

  /** The contracts of the customer; none for a visitor. */
  async #read(): Promise<AccountContract[]> {
    return (await readAccount(this.#api))?.contracts ?? []
  }

  async #lookUp(): Promise<void> {
    const isMeant = ({ contract_id: id, actions }: AccountContract) =>
      actions.cancel && (!this.getAttribute('contract-id') || id === this.#contractId)
    this.#contracts = (await this.#read()).filter(isMeant)
    const { language } = this.#words ?? { language: 'en' }
    this.#picker.replaceChildren(
      ...this.#contracts.map(({ contract_id: value, name, price, currency }) =>
        h('option', { value }, `${name}, ${money(language, price, currency)}`)
      )
    )
    this.#showState()
  }

  #showState(state?: string): void {
    this.setAttribute('state', state ?? (this.#contracts?.length === 0 ? 'none' : 'ready'))
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
  async #ask<T>(path: string): Promise<T | null> {
    const turn = ++this.#turn
    this.#screen.say(this.#words.say('loading'))
    const answer = await call<T>(`${this.#api}/churn/${path}`).catch(() => null)
    return turn === this.#turn ? answer : new Promise(() => {})
  }

  async #askReason(): Promise<void> {
    if (!this.#enter('reasons')) return this.#confirm()
    const { say } = this.#words
    this.#screen.show({ title: say('reasons'), actions: [this.#keep(), this.#leave()] })
    const reasons = await this.#ask<CancellationReason[]>('reasons')
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
    const id = this.#contractId
    // Which offers a contract may accept is not known without it.
    const path = `offers?${this.#query}&contract_id=${id}`
    const matched = id ? await this.#ask<{ offers: MatchedOffer[] }[]>(path) : null
    const offers = (matched ?? []).flatMap((one) => one.offers)
    if (offers.length === 0 || !this.#enter('offers')) return this.#confirm()
    const back = this.#action('secondary back', 'back', () => this.#isBusy || this.#askReason())
    const list = offerList(this.#words, offers, (offer) => void this.#accept(offer, [back, ...buttons]))
    const buttons = list.querySelectorAll('button')
    this.#screen.show({
      title: this.#words.say('offers'),
      body: [list],
      actions: [back, this.#leave(() => void this.#passOffers())]
    })
  }

  /** Has an offer accepted. The other buttons keep the focus, and do nothing until that is known. */
  async #accept(offer: MatchedOffer, buttons: HTMLElement[]): Promise<void> {
    const { reason } = this.#choice
    if (this.#isBusy || !this.#emit('perennial-cancel-accept', { reason, offer })) return
    const turn = this.#turn
    const { say } = this.#words
    const setBusy = (isBusy: boolean) => {
      this.#isBusy = isBusy
      for (const one of buttons) one.ariaDisabled = String(isBusy)
      this.#showState()
    }
    setBusy(true)
    this.#screen.say(say('loading'))
    this.#activation = this.#activate(offer, reason)
    const [isAccepted, status] = await this.#activation
    this.#activation = null
    setBusy(false)
    if (turn !== this.#turn) return
    if (isAccepted) this.#screen.show({ title: say('kept'), status, stays: true })
    else this.#screen.say(status)
  }

  /** Goes on without an offer: with what became of one that was just accepted. */
  async #passOffers(): Promise<void> {
    const turn = ++this.#turn
    this.#screen.say(this.#words.say('loading'))
    const [, status] = (await this.#activation) ?? []
    if (turn === this.#turn) this.#confirm(status)
  }

  async #activate(offer: MatchedOffer, reason: string): Promise<Activation> {
    const { say } = this.#words
    const path = `${this.#api}/churn/${this.#contractId}/offers`
    let accepted: ContractOffer | undefined
    try {
      accepted = await call<ContractOffer>(`${path}/${offer.id}/activation?${this.#query}`, {})
    } catch (err) {
      const { isTemporary, message } = err as Failure
      // Perhaps only the answer was lost.
      const known = isTemporary ? await call<ContractOffer[]>(path).catch(() => null) : []
      if (!known) return [false, say('unknown')]
      accepted = known.find((one) => one.offer.id === offer.id && one.status === 'Active')
      if (!accepted) return [false, `${say('failed')} ${message}`]
    }
    this.#emit('perennial-cancel-accepted', { reason, offer: accepted })
    return [true, say('applied', { offer: offer.name })]
  }

  #confirm(status?: string): void {
    if (!this.#enter('confirmation')) return void this.#submit()
    const { say } = this.#words
    const name = this.#contracts?.find((one) => one.contract_id === this.#contractId)?.name
    this.#screen.show({
      title: say('confirm'),
      body: [name ? h('p', { part: 'name' }, own(name)) : null, h('p', {}, say('ending'))],
      status,
      actions: [this.#keep(), this.#leave(() => void this.#submit())]
    })
  }

  async #submit(): Promise<void> {
    const { comment } = this.#choice
    const reason = this.#choice.reason || OTHER
    if (!this.#emit('perennial-cancel-submit', { reason, comment })) return
    const { say } = this.#words
    const stop = new AbortController()
    const again = this.#action('next', 'again', () => this.#again.dispatchEvent(new Event('again')))
    // Whether a try may have arrived whose answer was lost.
    let isLost = false
    const keep = this.#action('secondary keep', 'keep', () => stop.abort())
    this.#isBusy = true
    this.#showState()
    this.#screen.show({ title: say('loading'), stays: true, actions: [] })
    let state: string | undefined
    try {
      const done = await untilAnswered(() => this.#send(reason, comment, isLost), {
        stop: stop.signal,
        again: [this.#again, window],
        onWait: ({ status }) => {
          isLost = true
          this.#screen.show({ title: say('waiting'), status: say('retrying'), actions: [keep, again], stays: true })
          this.#emit('perennial-cancel-wait', { status })
        }
      })
      const now = !done && isLost ? await this.#now() : null
      const isCancelled = done || now?.status === 'CANCELLED'
      if (isCancelled) state = 'cancelled'
      if (now === undefined) this.#screen.show({ title: say('unknown'), stays: true })
      else if (isCancelled && this.#emit('perennial-cancel-done', { reason }))
        this.#screen.show({ title: say('done'), stays: true })
      else this.#screen.close()
    } catch (err) {
      const { status, message } = err as Failure
      // It may have ended before.
      if ((await this.#now())?.status === 'CANCELLED') state = 'cancelled'
      this.#screen.show({ title: say(state ? 'none' : 'refused'), status: message, stays: true })
      this.#emit('perennial-cancel-refused', { status, message })
    }
    this.#isBusy = false
    this.#showState(state)
  }

  /** The contract as it is now; undefined where that cannot be seen. */
  async #now(): Promise<AccountContract | undefined> {
    const contracts = await this.#read().catch(() => [])
    return contracts.find(({ contract_id: id }) => id === this.#contractId)
  }

  /** Cancels. What an earlier try has cancelled, whose answer was lost, is cancelled. */
  async #send(reason: string, comment: string, isLost: boolean): Promise<true> {
    if (!this.#contractId) {
      await this.#lookUp()
      // Nobody has chosen between them yet.
      if (this.#picker.length > 1) throw new Failure(409, this.#words.say('choose'))
      if (!this.#contractId) throw new Failure(404, this.#words.say('none'))
    }
    const path = `${this.#api}/churn/${this.#contractId}/cancellation`
    try {
      await call(path, { reason, ...(comment && { comment }) })
    } catch (err) {
      if (!isLost || (err as Failure).isTemporary || (await this.#now())?.status !== 'CANCELLED') throw err
    }
    return true
  }
}
