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
  readonly #again = new EventTarget()
  readonly #cards = h('div', { part: 'cards' })
  readonly #status = h('p', { role: 'status', part: 'message' })
  readonly #box = h('div', { class: 'root' }, this.#cards, this.#status, h('slot', { name: 'empty', hidden: true }))
  /** The elements that cancel, by contract: one whose dialog is open must stay where it is. */
  readonly #cancels = new Map<string, HTMLElement>()

  connectedCallback(): void {
    if (!this.shadowRoot) void this.#begin(this.attachShadow({ mode: 'open' }))
  }

  /** Reads the account again. */
  async reload(): Promise<void> {
    try {
      this.#show(await call<Account>(`${this.#api}/membership/account`))
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
    this.addEventListener('perennial-cancel-close', () => void this.reload())
    this.addEventListener('perennial-cancel-done', (event) => {
      const target = event.composedPath()[0] as HTMLElement
      if (!target.shadowRoot?.querySelector('dialog')?.open) void this.reload()
    })
    this.#status.textContent = this.#words.say('loading')
    try {
      const account = await untilAnswered(() => call<Account>(`${this.#api}/membership/account`), {
        stop: new AbortController().signal,
        again: this.#again,
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
    const { say, language } = this.#words
    const { contracts = [], store_credit: credit = '0', currency = '', loyalty_points: points = 0 } = account ?? {}
    this.#status.textContent = ''
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

  #cancelOf({ contract_id: id }: AccountContract): HTMLElement | null {
    if (!customElements.get(CANCEL)) {
      void customElements.whenDefined(CANCEL).then(() => this.reload())
      return null
    }
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
      await this.reload()
      this.#status.textContent = `${changed.name}: ${statusWord(this.#words, changed)}`
      this.#emit('perennial-account-changed', { contractId, action, contract: changed })
    } catch (err) {
      this.#say('unchanged', err as Failure)
    }
  }

  #emit<Name extends keyof AccountEvents>(name: Name, detail: AccountEvents[Name]): boolean {
    return this.dispatchEvent(new CustomEvent(name, { detail, bubbles: true, composed: true, cancelable: true }))
  }
}
