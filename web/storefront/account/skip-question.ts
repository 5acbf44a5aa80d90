import { h } from '../shared/dom.ts'

type Asked = { question: string; yes: HTMLButtonElement; no: string }

/** Puts a question in the place of some buttons, with a way back to them. The focus is on the question, so that it is read out. */
export function ask(buttons: HTMLElement, { question, yes, no }: Asked): void {
  const from = (buttons.getRootNode() as ShadowRoot).activeElement as HTMLElement | null
  const back = () => {
    asked.replaceWith(buttons)
    from?.focus()
  }
  const text = h('p', { part: 'question', tabindex: -1 }, question)
  const asked = h(
    'div',
    {},
    text,
    h('div', { part: 'actions' }, h('button', { type: 'button', part: 'secondary back', onclick: back }, no), yes)
  )
  buttons.replaceWith(asked)
  text.focus()
}
