/** Escapes a text for markup. */
export function text(value: string): string {
  return value.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}

export const code = (value: string) => `<code>${text(value)}</code>`

/** A line of Markdown as markup. The document uses nothing of Markdown but code. */
export function line(markdown: string): string {
  return markdown
    .split('`')
    .map((part, i) => (i % 2 === 1 ? code(part) : text(part)))
    .join('')
}

export function prose(markdown: string): string {
  return markdown
    .split('\n\n')
    .map((paragraph) => `<p>${line(paragraph)}</p>`)
    .join('')
}

/** A table whose cells are markup. A table that is too wide scrolls on its own, also by keyboard. */
export function table(label: string, columns: string[], rows: string[][]): string {
  const head = columns.map((column) => `<th scope="col">${column}</th>`).join('')
  const body = rows.map((cells) => `<tr>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`).join('')
  return `<div class="table" role="region" aria-label="${text(label)}" tabindex="0"><table><thead><tr>${head}</tr></thead><tbody>${body}</tbody></table></div>`
}

export const sample = (label: string, content: string) =>
  `<pre tabindex="0" role="region" aria-label="${text(label)}">${text(content)}</pre>`

export const json = (label: string, value: unknown) => sample(label, JSON.stringify(value, null, 2))

export const collapsed = (summary: string, content: string) =>
  `<details><summary>${text(summary)}</summary>${content}</details>`

/** An id for links. */
export function anchor(name: string): string {
  return name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
}
