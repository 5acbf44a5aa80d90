/** A token of a statement. `depth` counts the brackets around it; a bracket has the depth of what is outside. */
export type SqlToken = {
  kind: 'word' | 'number' | 'string' | 'operator' | 'hole' | 'open' | 'close' | 'mark'
  /** In lower case. */
  text: string
  start: number
  end: number
  depth: number
}

/** A part of the text that is code of ours: `${…}`. */
export type Hole = { start: number; end: number }

const PATTERNS: [SqlToken['kind'] | null, RegExp][] = [
  [null, /\s+|--[^\n]*|\/\*[\s\S]*?\*\//y],
  ['string', /[eE]?'(?:[^']|'')*'|"(?:[^"]|"")*"/y],
  ['mark', /\$\w*\$/y],
  ['word', /\$\d+|[A-Za-z_]\w*/y],
  ['number', /\d+(?:\.\d+)?/y],
  ['open', /[([]/y],
  ['close', /[)\]]/y],
  ['mark', /::|:=|[,;.:]/y],
  ['operator', /[-+*/<>=~!@#%^&|?]+/y]
]

/** Splits a statement, or a part of one, into tokens; spaces and comments are left out. */
export function sqlTokens(text: string, holes: Hole[] = []): SqlToken[] {
  const tokens: SqlToken[] = []
  let depth = 0
  for (let at = 0; at < text.length; ) {
    const hole = holes.find(({ start }) => start === at)
    const [kind, end] = hole ? (['hole', hole.end] as const) : next(text, at)
    if (kind === 'close') depth--
    if (kind) tokens.push({ kind, text: text.slice(at, end).toLowerCase(), start: at, end, depth })
    if (kind === 'open') depth++
    at = end
  }
  return tokens
}

function next(text: string, at: number): [SqlToken['kind'] | null, number] {
  for (const [kind, pattern] of PATTERNS) {
    pattern.lastIndex = at
    if (pattern.test(text)) return [kind, pattern.lastIndex]
  }
  return ['mark', at + 1]
}
