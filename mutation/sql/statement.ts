import type { Change } from './changes.ts'
import { type Hole, type SqlToken, sqlTokens } from './tokens.ts'

/** These end an operand, a key of an order or a clause, at the depth at which it began. */
const ENDS = new Set(
  `and or group order limit returning union except intersect window offset then else when end loop as join left right full
   cross inner having where set do using rows range select from values on with`.split(/\s+/)
)
/** Words that are no value, so that a minus after them is a sign and not a difference. */
const NO_VALUES = new Set([
  ...ENDS,
  'by',
  'not',
  'in',
  'is',
  'case',
  'return',
  'interval',
  'distinct',
  'any',
  'if',
  'elsif'
])
/** What an operand of a condition begins after. */
const BEGINS = new Set(
  'where on having when and or if elsif then else select set returning by using from not while case as check do'.split(
    ' '
  )
)

/** A text of SQL with its tokens, and questions about them. Tokens are named by their number. */
export class Statement {
  readonly text: string
  readonly tokens: SqlToken[]

  constructor(text: string, holes: Hole[]) {
    this.text = text
    this.tokens = sqlTokens(text, holes)
  }

  word(i: number): string {
    return this.tokens[i]?.text ?? ''
  }

  isValue(i: number): boolean {
    const token = this.tokens[i]
    if (!token) return false
    if (token.kind === 'word') return !NO_VALUES.has(token.text)
    return token.kind === 'number' || token.kind === 'string' || token.kind === 'hole' || token.kind === 'close'
  }

  /** Whether `for update`, `for share`, `for no key update` or `for key share` begins here. */
  isLock(i: number): boolean {
    return this.word(i) === 'for' && ['update', 'share', 'no', 'key'].includes(this.word(i + 1))
  }

  /** The last token of what begins with token `i`: a key list, an amount, a clause. */
  lastOfClause(i: number): number {
    const depth = this.tokens[i]?.depth ?? 0
    let last = i
    while (last + 1 < this.tokens.length && !this.endsClause(last + 1, depth)) last++
    return last
  }

  /** The offset at which the clause ends that has token `i` as its first. */
  endOfClause(i: number): number {
    return this.tokens[this.lastOfClause(i)]?.end ?? this.text.length
  }

  private endsClause(i: number, depth: number): boolean {
    const token = this.tokens[i]!
    if (token.depth < depth) return true
    if (token.depth > depth) return false
    if (token.text === ';' || /^\$\w*\$$/.test(token.text)) return true
    if (this.isLock(i)) return true
    // `on conflict (…) do update set … where …` is one clause, and so is `for update of s`.
    return (
      ENDS.has(token.text) &&
      !['and', 'or', 'set', 'where', 'do', 'as', 'from', 'then', 'when', 'else', 'end'].includes(token.text)
    )
  }

  /** The last token of the operand that begins with token `i`. */
  lastOfOperand(i: number): number {
    const depth = this.tokens[i]?.depth ?? 0
    let last = i
    for (; last + 1 < this.tokens.length; last++) {
      const token = this.tokens[last + 1]!
      if (token.depth < depth) break
      if (token.depth > depth) continue
      if (token.text === ',' || token.text === ';' || token.text === ':=' || /^\$\w*\$$/.test(token.text)) break
      if (this.isLock(last + 1)) break
      if (ENDS.has(token.text) && !this.isPartOfOperator(last + 1)) {
        if (token.text === 'when' || token.text === 'then' || token.text === 'else' || token.text === 'end') {
          if (this.isInsideCase(i, last + 1)) continue
        }
        break
      }
    }
    return last
  }

  /** The first token of the operand that ends with token `i`. */
  firstOfOperand(i: number): number {
    const depth = this.tokens[i]!.kind === 'open' ? this.tokens[i]!.depth + 1 : this.tokens[i]!.depth
    let first = i
    for (; first > 0; first--) {
      const token = this.tokens[first - 1]!
      if (token.depth > depth) continue
      if (token.depth < depth || token.text === ',' || token.text === ';' || token.text === ':=') break
      if (/^\$\w*\$$/.test(token.text)) break
      if (BEGINS.has(token.text) && token.text !== 'not' && !this.isPartOfOperator(first - 1)) break
    }
    return first
  }

  /** `from` of `is distinct from`, `and` of `between`. */
  isPartOfOperator(i: number): boolean {
    const text = this.word(i)
    if (text === 'from') return this.word(i - 1) === 'distinct' && ['is', 'not'].includes(this.word(i - 2))
    if (text !== 'and') return false
    const { depth } = this.tokens[i]!
    for (let at = i - 1; at >= 0 && this.tokens[at]!.depth >= depth; at--) {
      if (this.tokens[at]!.depth > depth) continue
      const word = this.word(at)
      if (word === 'between') return true
      if (word === 'and' || word === 'or' || BEGINS.has(word)) return false
    }
    return false
  }

  /** Whether a `case` that begins between two tokens is still open at the second. */
  private isInsideCase(from: number, to: number): boolean {
    let open = 0
    for (let at = from; at < to; at++) {
      if (this.word(at) === 'case') open++
      if (this.word(at) === 'end') open--
    }
    return open > 0
  }

  /** The bracket that closes the bracket `i`. */
  closing(i: number): number {
    const { depth } = this.tokens[i]!
    return this.tokens.findIndex((t, n) => n > i && t.kind === 'close' && t.depth === depth)
  }

  cut(change: string, start: number, end: number): Change {
    return { change, start, end, replacement: '' }
  }

  source(from: number, to: number): string {
    return this.text.slice(this.tokens[from]!.start, this.tokens[to]!.end)
  }
}
