// biome-ignore-all lint/suspicious/noTemplateCurlyInString: sources in strings
import { loadModule, parseSync } from 'libpg-query'
import { type Token, tokensOf } from '../../scripts/source-tokens.ts'
import type { Mutant } from '../mutant.ts'
import { sqlChanges } from './changes.ts'
import type { Hole } from './tokens.ts'

await loadModule()

/**
 * A text of SQL as a source has it, with its holes. `start` is its place there; `expression` is that of the literal with its tag.
 */
type SqlText = { text: string; start: number; holes: Hole[]; expression: [number, number] }

/** How a part of a statement is completed, so that it can be parsed. The first that works for the text is used for its mutants. */
const FRAMES = [
  (text: string) => text,
  (text: string) => `select 1 from t where ${text}`,
  (text: string) => `select 1 from t where true ${text}`,
  (text: string) => `select 1 from t ${text}`,
  (text: string) => `select ${text}`,
  (text: string) => `with ${text} select 1`
]
/** What may stand for the code in a hole. */
const FILLINGS = ['$1', 'h', '1', '', 'true', '(select 1)', ', h', 'order by h', 'and true', '*']
/** What a text has at least, to be looked at: names alone parse as statements, too. */
const LOOKS_LIKE_SQL =
  /\b(select|update|insert|delete)\s|\b(and|or|where|order by|limit|for update|is null|is not null|on conflict)\b|<=|>=|<>|coalesce\(| = /

/** The mutants of all SQL in a source of TypeScript. `unread` are texts that look like SQL and cannot be parsed: they have none. */
export function sqlMutantsOf(file: string, source: string): { mutants: Mutant[]; unread: string[]; refused: number } {
  const found = { mutants: [] as Mutant[], unread: [] as string[], refused: 0 }
  for (const { text, start, holes } of sqlTexts(source)) {
    const changes = sqlChanges(text, holes)
    if (changes.length === 0) continue
    const parses = parserOf(text, holes)
    if (!parses) {
      if (/^\s*(select|with|insert|update|delete)\s/.test(text)) found.unread.push(text.trim())
      continue
    }
    for (const { change, ...at } of changes) {
      const shift = at.replacement.length - (at.end - at.start)
      const moved = holes.map((h) => (h.start >= at.end ? { start: h.start + shift, end: h.end + shift } : h))
      const kept = moved.filter((_, i) => holes[i]!.end <= at.start || holes[i]!.start >= at.end)
      const within = at.replacement.includes('${') ? holesOf(at.replacement, at.start) : []
      const mutated = text.slice(0, at.start) + at.replacement + text.slice(at.end)
      if (
        !parses(
          mutated,
          [...kept, ...within].sort((a, b) => a.start - b.start)
        )
      ) {
        found.refused++
        continue
      }
      found.mutants.push({ file, kind: 'sql', change, ...at, start: at.start + start, end: at.end + start })
    }
  }
  return found
}

/**
 * The source with all these mutants in its statements, each behind a switch of its own: `__mutant(id)` says which is on. Of
 * statements within statements the inner ones are switched where no outer one is.
 */
export function withSqlMutants(source: string, mutants: { id: string; mutant: Mutant }[]): string {
  const texts = sqlTexts(source)
  const within = Map.groupBy(mutants, ({ mutant }) =>
    texts
      .filter(({ start, text }) => start <= mutant.start && mutant.end <= start + text.length)
      .reduce((a, b) => (a.text.length <= b.text.length ? a : b))
  )
  const edits = [...within].flatMap(([{ expression }, some]) => {
    const [from, to] = expression
    const switched = some.map(({ id, mutant: { start, end, replacement } }) => {
      const changed = source.slice(from, start) + replacement + source.slice(end, to)
      return `__mutant(${JSON.stringify(id)}) ? ${changed} : `
    })
    return [
      { at: from, text: `(${switched.join('')}` },
      { at: to, text: ')' }
    ]
  })
  edits.sort((a, b) => b.at - a.at)
  let result = source
  for (const { at, text } of edits) result = result.slice(0, at) + text + result.slice(at)
  return result
}

/** The mutants of a file of functions: its text is SQL as it is. */
export function sqlMutantsOfFunctions(file: string, source: string): { mutants: Mutant[]; refused: number } {
  const all = sqlChanges(source).map(({ change, ...at }): Mutant => ({ file, kind: 'sql', change, ...at }))
  const bodies = source.indexOf('$$')
  const mutants = all
    .filter(({ start }) => start > bodies)
    .filter((m) => {
      const text = source.slice(0, m.start) + m.replacement + source.slice(m.end)
      return isParsed(text) && bodiesParse(text)
    })
  return { mutants, refused: all.length - mutants.length }
}

/** Bodies in SQL are parsed here; those in plpgsql by PostgreSQL, which counts as refused what it cannot read. */
function bodiesParse(text: string): boolean {
  const bodies = [...text.matchAll(/language sql[^$]*\$\$([\s\S]*?)\$\$/g)]
  return bodies.every(([, body]) => isParsed(body!))
}

/** The strings and templates of a source that may be SQL. */
function sqlTexts(source: string): SqlText[] {
  const tokens = tokensOf(source)
  return tokens.flatMap((token, i) => {
    if (token.kind !== 'string' && token.kind !== 'template') return []
    const start = token.index + 1
    const text = source.slice(start, endOf(token, source))
    const isTagged = token.kind === 'template' && tokens[i - 1]?.text === 'sql'
    if (!isTagged && !LOOKS_LIKE_SQL.test(text)) return []
    const holes = token.holes.map((h) => ({ start: h.index - 2 - start, end: h.index + h.text.length + 1 - start }))
    const begin = isTagged ? tokens[i - 1]!.index : token.index
    return [{ text, start, holes, expression: [begin, start + text.length + 1] }]
  })
}

/** Where the text of a string or a template ends. */
function endOf(token: Token, source: string): number {
  if (token.holes.length === 0) return token.index + token.text.length - 1
  const last = token.holes.at(-1)!
  let at = last.index + last.text.length + 1
  while (source[at] !== '`') at += source[at] === '\\' ? 2 : 1
  return at
}

/** The holes in the replacement of a change, which repeats a part of the text. */
function holesOf(replacement: string, shift: number): Hole[] {
  const [only] = sqlHole(replacement)
  return only ? [{ start: only.start + shift, end: only.end + shift }] : []
}

function sqlHole(text: string): Hole[] {
  const holes: Hole[] = []
  for (let at = text.indexOf('${'); at >= 0; at = text.indexOf('${', holes.at(-1)!.end)) {
    let depth = 0
    let end = at + 2
    for (; depth > 0 || text[end] !== '}'; end++) {
      if (text[end] === '{') depth++
      if (text[end] === '}') depth--
    }
    holes.push({ start: at, end: end + 1 })
  }
  return holes
}

/** How this text parses; null if in no way. */
function parserOf(text: string, holes: Hole[]): ((text: string, holes: Hole[]) => boolean) | null {
  for (const frame of FRAMES) {
    for (const filling of holes.length > 0 ? FILLINGS : ['']) {
      const parses = (some: string, open: Hole[]) => isParsed(frame(filled(some, open, filling)))
      if (parses(text, holes)) return parses
    }
  }
  return null
}

function filled(text: string, holes: Hole[], filling: string): string {
  let [all, from] = ['', 0]
  for (const { start, end } of holes) {
    all += text.slice(from, start) + filling
    from = end
  }
  return all + text.slice(from)
}

/** Whether PostgreSQL reads the text as statements. */
export function isParsed(text: string): boolean {
  try {
    return (parseSync(text).stmts ?? []).length > 0
  } catch {
    return false
  }
}
