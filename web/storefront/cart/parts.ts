import { h, own } from '../shared/dom.ts'
import type { Model, OptionModel } from './model.ts'
import type { Say } from './words.ts'

/** Shows a text in its place; null and '' leave the place out. */
export function put(place: HTMLElement, text: string | null): void {
  place.hidden = !text
  // What is set again is read out again.
  if (place.textContent !== (text ?? '')) place.replaceChildren(own(text ?? ''))
}

/** What products cost, and before it what they would cost without the membership. */
export function priceLine(): {
  line: HTMLElement
  show(of: { total: string | null; before: string | null }, say: Say): void
} {
  const [what, price, instead, before] = [h('span'), h('b', { part: 'price' }), h('span', { class: 'heard' }), h('s')]
  const line = h('span', { part: 'total' }, what, ' ', price, ' ', instead, ' ', before)
  return {
    line,
    show(of, say) {
      line.hidden = of.total === null
      put(what, say('products'))
      put(price, of.total)
      put(instead, of.before && say('instead_of'))
      put(before, of.before)
    }
  }
}

/** One way to buy: a radio button with what it costs and offers. */
export function optionView(choice: string, onchange: () => void) {
  const [name, more] = [`${choice}-name`, `${choice}-more`]
  const described = { 'aria-labelledby': name, 'aria-describedby': more }
  const input = h('input', { type: 'radio', name: 'choice', value: choice, onchange, ...described })
  const title = h('span', { part: 'option-title', id: name })
  const [subtitle, fee, body] = ['option-subtitle', 'fee', 'option-body'].map((part) => h('span', { part })) as [
    HTMLElement,
    HTMLElement,
    HTMLElement
  ]
  const price = priceLine()
  const details = h('span', { class: 'text', id: more }, subtitle, price.line, fee, body)
  const label = h('label', {}, input, h('span', { class: 'text' }, title, details))
  return {
    label,
    input,
    show(option: OptionModel, isChosen: boolean, say: Say) {
      label.setAttribute('part', isChosen ? 'option option-chosen' : 'option')
      input.checked = isChosen
      put(title, option.title)
      put(subtitle, option.subtitle)
      price.show(option, say)
      put(fee, option.fee)
      put(body, option.body)
    }
  }
}

/** How near the cart is to the perks that depend on it. */
export function progress({ title, text, milestones }: NonNullable<Model['bar']>): Node[] {
  return [
    ...(title ? [h('p', { part: 'progress-title' }, own(title))] : []),
    ...(text ? [h('p', { part: 'progress-text' }, own(text))] : []),
    ...milestones.map((milestone) => {
      const percent = Math.round(milestone.share * 100)
      const fill = h('i', { part: 'progress-fill' })
      fill.style.inlineSize = `${percent}%`
      const track = h(
        'div',
        { part: 'progress-track', role: 'progressbar', 'aria-label': milestone.text, 'aria-valuenow': percent },
        fill
      )
      const part = milestone.share < 1 ? 'milestone' : 'milestone milestone-reached'
      // A `bdi` that is an item of a grid would be aligned by its own words.
      return h('div', { part }, h('span', {}, own(milestone.text)), track)
    })
  ]
}

/** A line that may be bought once or by one of its selling plans. */
export function subscription(
  { label, chosen, plans }: Model['lines'][number],
  say: Say,
  onchoose: (plan: string) => void
): HTMLElement {
  const select = h(
    'select',
    { onchange: () => onchoose(select.value) },
    ...[{ id: '', name: say('once') }, ...plans].map(({ id, name }) =>
      h('option', { value: id, selected: id === chosen }, name)
    )
  )
  return h('label', { part: 'subscription' }, own(label), select)
}
