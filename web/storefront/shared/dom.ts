import common from './style.css'

type Child = Node | string | null | undefined | false
type Attributes = Record<string, string | number | boolean | null | undefined | ((event: Event) => void)>

/**
 * Makes an element. True is an attribute without a value; false, null and undefined leave it out; a function is called at the event
 * that its name says after `on`. Texts are set as text, never as markup, so that no word of an operator is read as HTML.
 */
export function h<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[Name] {
  const made = document.createElement(name)
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === 'function') made.addEventListener(key.slice(2), value)
    else if (value != null && value !== false) made.setAttribute(key, value === true ? '' : String(value))
  }
  made.append(...children.filter((child): child is Node | string => child != null && child !== false && child !== ''))
  return made
}

/** A text of the store's own, which may be in another language than the page, and run the other way. */
export const own = (text: string): HTMLElement => h('bdi', {}, text)

/** A style sheet for shadow roots. A page whose policy forbids inline styles allows it. */
export function styleSheet(css: string): CSSStyleSheet {
  const made = new CSSStyleSheet()
  made.replaceSync(css)
  return made
}

/** The style sheets of an element: what all have, and its own. */
export const styleSheets = (own: string): CSSStyleSheet[] => [common, own].map(styleSheet)

/** Defines an element unless the page has it already: two tags may load one file by two addresses. */
export function define(name: string, element: CustomElementConstructor): void {
  if (!customElements.get(name)) customElements.define(name, element)
}
