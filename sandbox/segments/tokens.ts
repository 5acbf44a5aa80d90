export type Token = {
  kind: 'word' | 'text' | 'number' | 'date' | 'sign'
  /** As it stands in the query. */
  text: string
  /** Of a text: without its quotes. */
  value?: string
  line: number
  column: number
}

const TOKEN =
  /(\s+)|'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|(-?\d{4}-\d{2}-\d{2}(?:T[\d:.]+Z?)?|-?\d+[dwmy])(?![\w.])|(-?\d+(?:\.\d+)?)(?![\w])|([a-z_][\w.]*)|(>=|<=|!=|[=<>(),:])|(.)/giy

/** The tokens of a segment's query. A character that belongs to none is a sign of its own, which fits nowhere. */
export function tokensOf(query: string): Token[] {
  const tokens: Token[] = []
  let line = 1
  let lineStart = 0
  for (const match of query.matchAll(TOKEN)) {
    const [text, blank, single, double, date, number, word] = match
    const at = { line, column: match.index - lineStart }
    if (blank !== undefined) {
      for (const [i, char] of [...blank].entries()) {
        if (char !== '\n') continue
        line++
        lineStart = match.index + i + 1
      }
      continue
    }
    const quoted = single ?? double
    if (quoted !== undefined) tokens.push({ kind: 'text', text, value: quoted.replace(/\\(.)/g, '$1'), ...at })
    else if (date !== undefined) tokens.push({ kind: 'date', text, ...at })
    else if (number !== undefined) tokens.push({ kind: 'number', text, ...at })
    else if (word !== undefined) tokens.push({ kind: 'word', text, ...at })
    else tokens.push({ kind: 'sign', text, ...at })
  }
  return tokens
}
