import type { AccountContract, ContractAction } from '../../../sdk/src/storefront.ts'
import { h, own } from '../shared/dom.ts'
import { day, duration } from '../shared/format.ts'
import { currentPrice } from '../shared/price-lines.ts'
import type { Wording } from '../shared/texts.ts'
import type { TextKey } from './texts.ts'

type Words = Wording<TextKey>
/** What a contract may be asked for here; cancelling has an element of its own. */
export type CardAction = Exclude<ContractAction, 'cancel'>

export type CardOptions = {
  /** The level of its heading. */
  level: number
  /** For how many days a pause may be; none: until it is resumed. */
  pauseDays: number[]
  onAction: (action: CardAction, body: object) => void
  /** The element that cancels, if the page has it. */
  cancel: HTMLElement | null
}

/** Pairs of a name and a value; those without a value are left out. */
export function facts(pairs: [string, Node | string | null | false | undefined][]): HTMLDListElement {
  const given = pairs.filter(([, value]) => value)
  return h('dl', { part: 'facts' }, ...given.flatMap(([name, value]) => [h('dt', {}, name), h('dd', {}, value || '')]))
}

export const statusWord = ({ say }: Words, { status }: AccountContract): string =>
  say(status.toLowerCase() as Lowercase<AccountContract['status']>)

/** One contract: what it is, what it costs and when, and what the customer may do with it. */
export function contractCard(
  words: Words,
  contract: AccountContract,
  { level, pauseDays, onAction, cancel }: CardOptions
) {
  const { say, language } = words
  const { status, actions } = contract
  const id = `c${contract.contract_id}`
  const dateOf = (text: string) => text && day(language, text)
  const button = (action: CardAction, body = () => ({}), more = '') =>
    actions[action] &&
    h(
      'button',
      { type: 'button', part: `secondary ${action}`, onclick: () => onAction(action, body()) },
      say(action) + more
    )
  const choices = pauseDays.map((n) => h('option', { value: n }, duration(language, 'DAY', n)))
  const days = h('select', { part: 'days', 'aria-label': say('days') }, ...choices)
  const pause = button(
    'pause',
    () => (pauseDays.length > 0 ? { duration: Number(days.value) } : {}),
    pauseDays.length === 1 ? ` (${choices[0]!.text})` : ''
  )
  return h(
    'article',
    { part: 'card', 'aria-labelledby': id },
    h(`h${level}` as 'h2', { part: 'name', id, tabindex: -1 }, own(contract.name)),
    h('p', { part: `status ${status.toLowerCase()}` }, statusWord(words, contract)),
    facts([
      [say('price'), currentPrice(words, contract)],
      [say('next'), dateOf(contract.next_billing_date)],
      [say('resumes'), dateOf(contract.resumes_at)],
      [say('ended'), dateOf(contract.cancelled_date)],
      [say('offer'), contract.offer?.status === 'Active' && own(contract.offer.offer.name)]
    ]),
    h(
      'div',
      { part: 'actions' },
      button('reactivate'),
      button('resume'),
      button('skip'),
      pause && pauseDays.length > 1 ? h('span', { part: 'pause-for' }, days, pause) : pause
    ),
    cancel
  )
}
