import type {
  Account,
  AccountContract,
  AccountEvents,
  PerennialMembershipElement
} from '../../../sdk/src/storefront.ts'
import { API, call, type Failure } from '../shared/api.ts'
import { h, styleSheets } from '../shared/dom.ts'
import { money } from '../shared/format.ts'
import { type Wording, wordingOf } from '../shared/texts.ts'
import { untilAnswered } from '../shared/until-answered.ts'
import { type CardAction, contractCard, facts, statusWord } from './card.ts'
import { LANGUAGES } from './languages.ts'
import css from './style.css'
import { ENGLISH, type TextKey } from './texts.ts'

const STYLES = styleSheets(css)
const CANCEL = 'perennial-cancel'
/** A theme styles the element in a card as it does one of its own. */
const CANCEL_PARTS =
  'button,dialog,title,body,actions,reasons,reason,comment,offers,offer,price,detail,accept,next,back,keep,close,cancel,outcome'

export class PerennialMembership extends HTMLElement implements PerennialMembershipElement {
  #words!: Wording<TextKey>
  #mayCancel = Boolean(customElements.get(CANCEL))
  readonly #again = new EventTarget()
  readonly #cards = h('div', { part: 'cards' })
  readonly #status = h('p', { role: 'status', part: 'message' })
  readonly #box = h('div', { class: 'root' }, this.#cards, this.#status, h('slot', { name: 'empty', hidden: true }))
  /** The elements that cancel, by contract. They keep what they say when the cards are made anew. */
  readonly #cancels = new Map<string, HTMLElement>()
  #shown: Account | null = null

  connectedCallback(): void {
    if (!this.shadowRoot) void this.#begin(this.attachShadow({ mode: 'open' }))
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
    try {
      const account = await untilAnswered(() => this.#read(), {
        stop: new AbortController().signal,
        again: [this.#again, window],
        onWait: () => this.#wait()
      })
      if (account) this.#show(account)
    } catch {
      // Nobody is logged in.
      this.#show(null)
    }
  }

  get #api(): string {
    return this.getAttribute('api') ?? API
  }

  #read(): Promise<Account> {
    return call<Account>(`${this.#api}/membership/account`)
  }

  /** Shows what became of a contract, says it, and has the focus there, since what had it may be gone. */
  async #follow(contractId: string): Promise<void> {
    const before = this.#shown
    await this.reload()
    const contract = this.#shown?.contracts.find(({ contract_id: id }) => id === contractId)
    if (this.#shown === before || !contract) return
    this.#status.textContent = `${contract.name}: ${statusWord(this.#words, contract)}`
    this.#cards.querySelector<HTMLElement>(`#c${contractId}`)?.focus()
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
    this.#status.textContent = `${this.#words.say(key)} ${message}`
  }

  #show(account: Account | null): void {
    const isSame = account && JSON.stringify(account) === JSON.stringify(this.#shown)
    this.#status.textContent = ''
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
      pauseDays: pauseDays.filter((days) => days > 0),
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
      exportparts: CANCEL_PARTS
    })
    this.#cancels.set(id, made)
    return made
  }

  async #act(contract: AccountContract, action: CardAction, body: object): Promise<void> {
    const { contract_id: contractId } = contract
    if (!this.#emit('perennial-account-action', { contractId, action })) return
    const path = action === 'reactivate' ? 'reactivation' : action
    this.#status.textContent = this.#words.say('loading')
    try {
      const changed = await call<AccountContract>(`${this.#api}/membership/contracts/${contractId}/${path}`, body)
      await this.#follow(contractId)
      this.#emit('perennial-account-changed', { contractId, action, contract: changed })
    } catch (err) {
      this.#say('unchanged', err as Failure)
    }
  }

  #emit<Name extends keyof AccountEvents>(name: Name, detail: AccountEvents[Name]): boolean {
    return this.dispatchEvent(new CustomEvent(name, { detail, bubbles: true, composed: true, cancelable: true }))
  }
}
