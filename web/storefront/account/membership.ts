import type {
  Account,
  AccountContract,
  AccountEvents,
  PerennialMembershipElement
} from '../../../sdk/src/storefront.ts'
import { readAccount } from '../shared/account.ts'
import { API, call, type Failure } from '../shared/api.ts'
import { h, styleSheets } from '../shared/dom.ts'
import { money } from '../shared/format.ts'
import { type Wording, wordingOf } from '../shared/texts.ts'
import { untilAnswered } from '../shared/until-answered.ts'
import { type CardAction, contractCard, facts } from './card.ts'
import { isDone, whatHappened } from './changes.ts'
import { LANGUAGES } from './languages.ts'
import css from './style.css'
import { ENGLISH, type TextKey } from './texts.ts'

const STYLES = styleSheets(css)
const CANCEL = 'perennial-cancel'
/** A theme styles the element in a card as it does one of its own. */
const CANCEL_PARTS =
  'button,dialog,title,body,actions,reasons,reason,comment,offers,offer,price,detail,accept,next,back,keep,close,cancel,outcome,status,name,picker,secondary'

/** The longest pause that the service accepts. */
const MAX_PAUSE_DAYS = 365
const CHANGES = ['perennial-cancel-done', 'perennial-cancel-accepted']

export class PerennialMembership extends HTMLElement implements PerennialMembershipElement {
  #words!: Wording<TextKey>
  #mayCancel = Boolean(customElements.get(CANCEL))
  readonly #again = new EventTarget()
  readonly #cards = h('div', { part: 'cards' })
  readonly #status = h('p', { role: 'status', part: 'message' })
  readonly #box = h('div', { class: 'root' }, this.#status, this.#cards, h('slot', { name: 'empty', hidden: true }))
  /** The elements that cancel, by contract. They keep what they say when the cards are made anew. */
  readonly #cancels = new Map<string, HTMLElement>()
  #shown: Account | null = null
  /** One change after the other. */
  #isBusy = false
  /** What another element of the page has changed. */
  readonly #changed = (event: Event) => {
    if (this.#shown && !event.composedPath().includes(this)) void this.reload()
  }

  connectedCallback(): void {
    for (const name of CHANGES) document.addEventListener(name, this.#changed)
    if (!this.shadowRoot) void this.#begin(this.attachShadow({ mode: 'open' }))
  }

  disconnectedCallback(): void {
    for (const name of CHANGES) document.removeEventListener(name, this.#changed)
  }

  async reload(): Promise<void> {
    try {
      this.#show(await this.#read())
    } catch (err) {
      this.#say('unchanged', err as Failure)
    }
  }

  async #begin(root: ShadowRoot): Promise<void> {
    root.adoptedStyleSheets = STYLES
    this.setAttribute('state', 'loading')
    this.#words = await wordingOf(this, ENGLISH, LANGUAGES)
    if (this.#words.direction) this.#box.dir = this.#words.direction
    root.append(this.#box)
    this.addEventListener('perennial-cancel-close', ({ detail }) => void this.#follow(detail.contractId))
    this.addEventListener('perennial-cancel-done', (event) => {
      const target = event.composedPath()[0] as HTMLElement
      // A card that is made anew would take the dialog away.
      if (!target.shadowRoot?.querySelector('dialog')?.open) void this.#follow(event.detail.contractId)
    })
    if (!this.#mayCancel) {
      void customElements.whenDefined(CANCEL).then(() => {
        this.#mayCancel = true
        const shown = this.#shown
        this.#shown = null
        if (shown) this.#show(shown)
      })
    }
    this.#status.textContent = this.#words.say('loading')
    this.#show(
      await untilAnswered(() => this.#read(), {
        stop: new AbortController().signal,
        again: [this.#again, window],
        onWait: () => this.#wait()
      })
    )
  }

  get #api(): string {
    return this.getAttribute('api') ?? API
  }

  #read(): Promise<Account | null> {
    return readAccount(`${this.#api}/membership`)
  }

  #contract(contractId: string): AccountContract | undefined {
    return this.#shown?.contracts.find(({ contract_id: id }) => id === contractId)
  }

  /** Shows what became of a contract, says it, and has the focus there, since what had it may be gone. */
  async #follow(contractId: string): Promise<void> {
    const before = this.#shown
    await this.reload()
    if (this.#shown !== before) this.#tell(this.#contract(contractId))
  }

  #tell(contract: AccountContract | undefined, action?: CardAction, before?: AccountContract): void {
    if (!contract) return
    const { text, isShown } = whatHappened(this.#words, contract, action, before)
    this.#write(text, isShown)
    this.#cards.querySelector<HTMLElement>(`#c${contract.contract_id}`)?.focus()
  }

  #wait(): void {
    const { say } = this.#words
    const again = () => this.#again.dispatchEvent(new Event('again'))
    this.setAttribute('state', 'failed')
    this.#status.replaceChildren(
      say('away'),
      ' ',
      h('button', { type: 'button', part: 'secondary again', onclick: again }, say('again'))
    )
  }

  #say(key: TextKey, { message }: { message: string }): void {
    this.#write(`${this.#words.say(key)} ${message}`)
  }

  /** What a card says itself is only read out. */
  #write(text: string, isShown = false): void {
    this.#status.textContent = text
    this.#status.classList.toggle('heard', isShown)
  }

  #show(account: Account | null): void {
    const isSame = account && JSON.stringify(account) === JSON.stringify(this.#shown)
    this.#write('')
    // What a customer is in the middle of stays as it is.
    if (isSame) return
    this.#shown = account
    const { say, language } = this.#words
    const { contracts = [], store_credit: credit = '0', currency = '', loyalty_points: points = 0 } = account ?? {}
    const numbers = new Intl.NumberFormat(language)
    const summary = facts([
      [say('credit'), Number(credit) > 0 && money(language, credit, currency)],
      [say('points'), points > 0 && numbers.format(points)]
    ])
    const link = this.getAttribute('payment-url')
    const method = link && contracts.length > 0 && h('a', { href: link, part: 'method' }, say('method'))
    this.#cards.replaceChildren(
      ...(summary.childElementCount > 0 ? [summary] : []),
      ...contracts.map((contract) => this.#card(contract)),
      ...(method ? [method] : [])
    )
    this.#box.querySelector('slot')!.hidden = contracts.length > 0
    this.setAttribute('state', contracts.length > 0 ? 'ready' : 'empty')
    if (account) this.#emit('perennial-account-load', { account })
  }

  #card(contract: AccountContract): HTMLElement {
    const pauseDays = (this.getAttribute('pause-days') ?? '30').split(/[\s,]+/).map(Number)
    const level = Math.min(Math.max(Math.trunc(Number(this.getAttribute('heading-level') ?? 2)) || 2, 1), 6)
    return contractCard(this.#words, contract, {
      level,
      pauseDays: pauseDays.filter((days) => Number.isInteger(days) && days > 0 && days <= MAX_PAUSE_DAYS),
      onAction: (action, body) => void this.#act(contract, action, body),
      cancel: this.#cancelOf(contract)
    })
  }

  #cancelOf({ contract_id: id, actions }: AccountContract): HTMLElement | null {
    // What is cancelled and taken back gets a new one.
    if (!actions.cancel) this.#cancels.delete(id)
    if (!actions.cancel || !this.#mayCancel) return null
    const known = this.#cancels.get(id)
    if (known) return known
    const made = h(CANCEL, {
      'contract-id': id,
      api: this.#api,
      lang: this.closest('[lang]')?.getAttribute('lang'),
      // What is in the card can be cancelled: the element need not look.
      state: 'ready',
      exportparts: CANCEL_PARTS
    })
    this.#cancels.set(id, made)
    return made
  }

  /** The buttons keep the focus, and do nothing until the answer is there. */
  #setBusy(isBusy: boolean): void {
    this.#isBusy = isBusy
    for (const one of this.#cards.querySelectorAll('[part=card] button')) one.ariaDisabled = isBusy ? 'true' : null
  }

  async #act(contract: AccountContract, action: CardAction, body: object): Promise<void> {
    const { contract_id: contractId } = contract
    if (this.#isBusy || !this.#emit('perennial-account-action', { contractId, action })) return
    this.#setBusy(true)
    this.#write(this.#words.say('loading'))
    await this.#carryOut(contract, action, body)
    this.#setBusy(false)
  }

  /** Asks for the change, and shows what is true after it: an answer may be lost on the way, when the change is made. */
  async #carryOut(contract: AccountContract, action: CardAction, body: object): Promise<void> {
    const { contract_id: contractId } = contract
    const path = `${contractId}/${action === 'reactivate' ? 'reactivation' : action}`
    const changing = call<AccountContract>(`${this.#api}/membership/contracts/${path}`, body)
    const [changed, failure] = await changing.then(
      (answer) => [answer, null] as const,
      (err: Failure) => [null, err] as const
    )
    if (failure && failure.status >= 400 && failure.status < 500) return this.#say('unchanged', failure)
    const account = await this.#read().catch(() => changed && this.#with(changed))
    if (account === null && !changed) return this.#say('unseen', failure!)
    this.#show(account)
    const now = this.#contract(contractId)
    if (!changed && !isDone(action, contract, now)) return this.#say('unchanged', failure!)
    this.#tell(now, action, contract)
    this.#emit('perennial-account-changed', { contractId, action, contract: changed ?? now! })
  }

  /** What is shown, with one contract as it is now. */
  #with(changed: AccountContract): Account {
    const { contracts, ...rest } = this.#shown!
    const isIt = ({ contract_id: id }: AccountContract) => id === changed.contract_id
    return { ...rest, contracts: contracts.map((one) => (isIt(one) ? changed : one)) }
  }

  #emit<Name extends keyof AccountEvents>(name: Name, detail: AccountEvents[Name]): boolean {
    return this.dispatchEvent(new CustomEvent(name, { detail, bubbles: true, composed: true, cancelable: true }))
  }
}
