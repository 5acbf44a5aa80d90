import type { AccountContract, ContractAction } from '../../../sdk/src/storefront.ts'
import { h, own } from '../shared/dom.ts'
import { day, deadline, duration } from '../shared/format.ts'
import { currentPrice } from '../shared/price-lines.ts'
import type { Wording } from '../shared/texts.ts'
import { ask } from './skip-question.ts'
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
  const { status, actions, reactivate_until: until } = contract
  const id = `c${contract.contract_id}`
  const dateOf = (text: string) => text && day(language, text)
  const isOver = status === 'CANCELLED' || status === 'EXPIRED'
  const made = (action: CardAction, act: () => void, more = '') =>
    h(
      'button',
      {
        type: 'button',
        part: `secondary ${action}`,
        // The second click of two was for what was there before.
        onclick: (event) => (event as MouseEvent).detail > 1 || act()
      },
      say(action) + more
    )
  const button = (action: CardAction, body = () => ({}), more = '') =>
    actions[action] && made(action, () => onAction(action, body()), more)
  const choices = pauseDays.map((n) => h('option', { value: n }, duration(language, 'DAY', n)))
  const days = h('select', { part: 'days', 'aria-label': say('days') }, ...choices)
  const pause = button(
    'pause',
    () => (pauseDays.length > 0 ? { duration: Number(days.value) } : {}),
    pauseDays.length === 1 ? ` (${choices[0]!.text})` : ''
  )
  // A payment that is skipped cannot be taken back.
  const skip = () =>
    ask(buttons, {
      question: say('question', { date: dateOf(contract.next_billing_date) }),
      yes: made('skip', () => onAction('skip', {})),
      no: say('back')
    })
  const buttons = h(
    'div',
    { part: 'actions' },
    button('reactivate'),
    button('resume'),
    actions.skip && made('skip', skip),
    pause && pauseDays.length > 1 ? h('span', { part: 'pause-for' }, days, pause) : pause
  )
  return h(
    'article',
    { part: 'card', 'aria-labelledby': id },
    h(`h${level}` as 'h2', { part: 'name', id, tabindex: -1 }, own(contract.name)),
    h('p', { part: `status ${status.toLowerCase()}` }, statusWord(words, contract)),
    facts([
      // Of what is cancelled nothing is charged, with an offer or without.
      [say('price'), !isOver && currentPrice(words, contract)],
      [say('next'), dateOf(contract.next_billing_date)],
      [say('resumes'), dateOf(contract.resumes_at)],
      [say('ended'), dateOf(contract.cancelled_date)],
      [say('until'), until && deadline(language, until, contract.cancelled_date)],
      [say('offer'), !isOver && contract.offer?.status === 'Active' && own(contract.offer.offer.name)]
    ]),
    buttons,
    cancel
  )
}
