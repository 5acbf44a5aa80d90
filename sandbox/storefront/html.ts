/** Markup that is inserted unescaped; any other value is escaped. */
export type Html = { markup: string }

const ESCAPES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

function render(value: unknown): string {
  if (value === null || value === undefined || value === false) return ''
  if (Array.isArray(value)) return value.map(render).join('')
  if (typeof value === 'object' && 'markup' in value) return String(value.markup)
  return String(value).replace(/[&<>"']/g, (c) => ESCAPES[c]!)
}

export function html(strings: TemplateStringsArray, ...values: unknown[]): Html {
  return { markup: strings.reduce((sofar, part, i) => (i === 0 ? part : sofar + render(values[i - 1]) + part), '') }
}
