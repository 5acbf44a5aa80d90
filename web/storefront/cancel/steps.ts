import type { CancellationReason, MatchedOffer } from '../../../sdk/src/storefront.ts'
import { h, own } from '../shared/dom.ts'
import { day, duration, money, priceEach } from '../shared/format.ts'
import type { Wording } from '../shared/texts.ts'
import type { TextKey } from './texts.ts'

type Words = Wording<TextKey>

export type Choice = { reason: string; comment: string }

/**
 * The reasons to choose from, and a place for words of one's own, with what was chosen before. Its submit button is outside, by the id
 * `form`.
 */
export function reasonsForm(
  { say }: Words,
  reasons: CancellationReason[],
  chosen: Choice,
  onChoice: () => void
): HTMLFormElement {
  const choice = ({ alias, title, description }: CancellationReason) =>
    h(
      'label',
      { part: 'reason' },
      h('input', { type: 'radio', name: 'reason', value: alias, required: true, checked: alias === chosen.reason }),
      h('span', {}, own(title), description && h('small', {}, own(description)))
    )
  return h(
    'form',
    {
      id: 'form',
      onsubmit: (event) => {
        event.preventDefault()
        onChoice()
      }
    },
    h('div', { role: 'radiogroup', 'aria-labelledby': 'title', part: 'reasons' }, ...reasons.map(choice)),
    h(
      'label',
      { part: 'comment' },
      say('comment'),
      h('textarea', { name: 'comment', rows: 2, maxlength: 1024 }, chosen.comment)
    )
  )
}

/** What is chosen in it now; the reason is empty for none. */
export function choiceIn(form: HTMLFormElement): Choice {
  const fields = new FormData(form)
  return { reason: String(fields.get('reason') ?? ''), comment: String(fields.get('comment')).trim() }
}

/** The offers, each with what it leads to. */
export function offerList(
  words: Words,
  offers: MatchedOffer[],
  onAccept: (offer: MatchedOffer) => void
): HTMLUListElement {
  const card = (offer: MatchedOffer) =>
    h(
      'li',
      { part: 'offer' },
      h('h3', { id: `offer-${offer.id}` }, own(offer.name)),
      offer.description && h('p', {}, own(offer.description)),
      ...consequences(words, offer).map((line, i) => h('p', { part: i === 0 ? 'price' : 'detail' }, line)),
      h(
        'button',
        {
          type: 'button',
          part: 'accept',
          'aria-describedby': `offer-${offer.id}`,
          onclick: () => onAccept(offer)
        },
        words.say('accept')
      )
    )
  return h('ul', { part: 'offers', role: 'list' }, ...offers.map(card))
}

/** What an offer leads to, line by line; nothing for one without a preview. */
function consequences({ say, language }: Words, { type, preview }: MatchedOffer): string[] {
  if (!preview) return []
  const { currency, interval_name: unit, interval_count: count, cycles, credit_amount: credit } = preview
  if (type === 'add_store_credits') return [say('credit', { amount: money(language, credit, currency) })]
  const each = (price: string) => priceEach(language, money(language, price, currency), unit, count)
  const next = preview.next_billing_date && say('payment', { date: day(language, preview.next_billing_date) })
  if (type === 'change_frequency') return [each(preview.price_with_offer), ...(next ? [next] : [])]
  return [
    say('instead', { new: each(preview.price_with_offer), old: money(language, preview.price, currency) }),
    ...(cycles === null ? [] : [say('for', { duration: duration(language, unit, cycles * count) })])
  ]
}
