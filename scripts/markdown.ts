// The parts that generated pages of docs/ are made of.

export const code = (text: string): string => `\`${text}\``

/** `a`, `a or b`, `a, b or c`. */
export const words = (parts: string[]): string => parts.join(', ').replace(/, (?!.*, )/, ' or ')

/** A text as a cell of a table can hold it. */
export const cell = (text: string): string => text.replaceAll('\n', ' ').replaceAll('|', '\\|')

export const table = (head: string[], rows: string[][]): string =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')

export const json = (value: unknown, indent?: number): string =>
  `\`\`\`json\n${JSON.stringify(value, null, indent)}\n\`\`\``
