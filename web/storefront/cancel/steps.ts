import type { CancellationReason, MatchedOffer } from '../../../sdk/src/storefront.ts'
import { h, own } from '../shared/dom.ts'
import { consequences } from '../shared/price-lines.ts'
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
