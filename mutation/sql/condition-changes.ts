import type { Change } from './changes.ts'
import type { Statement } from './statement.ts'

/** What binds a statement to its store. `check-sql` refuses statements without it, and row-level security holds besides. */
const OF_STORE = /^(?:\w+\.)?store_id\s*=/i

const COMPARISONS = new Map([
  ['<=', '<'],
  ['<', '<='],
  ['>=', '>'],
  ['>', '>='],
  ['=', '<>'],
  ['<>', '=']
])

/** Changes of what must hold: parts of conditions dropped or negated, comparisons, `and` and `or`, null tests. */
export function conditionChanges(s: Statement): Change[] {
  return s.tokens.flatMap((token, i) => {
    if (token.text === 'and' || token.text === 'or') return partChanges(s, i)
    if (token.text === 'where' || token.text === 'having') return onlyPart(s, i)
    if (token.kind === 'operator') return comparisonChanges(s, i)
    return wordChanges(s, i)
  })
}

function partChanges(s: Statement, i: number): Change[] {
  if (s.isPartOfOperator(i) || !s.tokens[i - 1] || !s.tokens[i + 1]) return []
  const { text: word, start, end } = s.tokens[i]!
  const [first, last] = [s.firstOfOperand(i - 1), s.lastOfOperand(i + 1)]
  const [left, right] = [s.source(first, i - 1), s.source(i + 1, last)]
  const isFirst = !['and', 'or'].includes(s.word(first - 1)) || s.isPartOfOperator(first - 1)
  const what = word === 'and' ? 'condition' : 'alternative'
  const changes: Change[] = []
  if (!OF_STORE.test(right)) changes.push(s.cut(`${what} dropped`, start, s.tokens[last]!.end))
  if (isFirst && !OF_STORE.test(left)) changes.push(s.cut(`${what} dropped`, s.tokens[first]!.start, end))
  for (const [from, to, text] of [[i + 1, last, right], ...(isFirst ? [[first, i - 1, left] as const] : [])] as const) {
    if (hasNoOperator(s, from, to) && !OF_STORE.test(text)) changes.push(negated(s, from, to))
  }
  if (!OF_STORE.test(left) && !OF_STORE.test(right)) {
    changes.push({
      change: `${word} to ${word === 'and' ? 'or' : 'and'}`,
      start,
      end,
      replacement: word === 'and' ? 'or' : 'and'
    })
  }
  return changes
}

/** A condition of one part. */
function onlyPart(s: Statement, i: number): Change[] {
  if (!s.tokens[i + 1]) return []
  const last = s.lastOfOperand(i + 1)
  if (['and', 'or'].includes(s.word(last + 1))) return []
  const text = s.source(i + 1, last)
  if (OF_STORE.test(text)) return []
  const [{ start }, { end }] = [s.tokens[i + 1]!, s.tokens[last]!]
  return [
    { change: 'condition dropped', start, end, replacement: 'true' },
    ...(hasNoOperator(s, i + 1, last) ? [negated(s, i + 1, last)] : [])
  ]
}

const CHANGED_OTHERWISE = new Set(['is', 'in', 'exists', 'not', 'true', 'false', 'or', 'and', ...COMPARISONS.keys()])

/** Whether nothing in it is changed otherwise: a flag, a range, or a call. */
function hasNoOperator(s: Statement, from: number, to: number): boolean {
  return s.tokens
    .slice(from, to + 1)
    .every(({ text }, i) => !CHANGED_OTHERWISE.has(text) || s.isPartOfOperator(from + i))
}

function negated(s: Statement, from: number, to: number): Change {
  const [{ start }, { end }] = [s.tokens[from]!, s.tokens[to]!]
  return { change: 'condition negated', start, end, replacement: `not (${s.text.slice(start, end)})` }
}

function comparisonChanges(s: Statement, i: number): Change[] {
  const { text, start, end } = s.tokens[i]!
  const replacement = COMPARISONS.get(text)
  if (!replacement || s.word(i - 1) === 'store_id' || isAssignment(s, i)) return []
  if (text === '=' && s.word(i + 1) === 'any') {
    return [{ change: '= any to <> all', start, end: s.tokens[i + 1]!.end, replacement: '<> all' }]
  }
  return [{ change: `${text} to ${replacement}`, start, end, replacement }]
}

/** Whether this `=` sets a column: the first after `set`, or after a comma of its list. */
function isAssignment(s: Statement, i: number): boolean {
  if (s.word(i) !== '=') return false
  const { depth } = s.tokens[i]!
  for (let at = i - 1; at >= 0 && s.tokens[at]!.depth >= depth; at--) {
    if (s.tokens[at]!.depth > depth) continue
    const word = s.word(at)
    if (word === 'set') return true
    if (word === '=' || word === ';' || ['where', 'and', 'or', 'when', 'on', 'select', 'case'].includes(word))
      return false
    if (word === ',') return isInSetList(s, at)
  }
  return false
}

function isInSetList(s: Statement, comma: number): boolean {
  const { depth } = s.tokens[comma]!
  for (let at = comma - 1; at >= 0 && s.tokens[at]!.depth >= depth; at--) {
    if (s.tokens[at]!.depth > depth) continue
    if (s.word(at) === 'set') return true
    if (['where', 'from', 'select', 'on', 'having', ';', 'returning'].includes(s.word(at)) && !s.isPartOfOperator(at))
      return false
  }
  return false
}

function wordChanges(s: Statement, i: number): Change[] {
  const { text, start, end } = s.tokens[i]!
  const [before, after] = [s.word(i - 1), s.word(i + 1)]
  if (text === 'is') return nullTest(s, i)
  if (text === 'exists' && after === '(') {
    if (before === 'not') return [s.cut('not exists to exists', s.tokens[i - 1]!.start, start)]
    return before === 'if' ? [] : [{ change: 'exists to not exists', start, end, replacement: 'not exists' }]
  }
  if (text === 'in' && after === '(') return listChanges(s, i)
  if (text === 'not' && !['exists', 'in', 'null', 'distinct', 'materialized'].includes(after) && before !== 'is') {
    return [s.cut('not dropped', start, s.tokens[i + 1]?.start ?? end)]
  }
  if (text === 'true' || text === 'false') {
    const replacement = text === 'true' ? 'false' : 'true'
    return [{ change: `${text} to ${replacement}`, start, end, replacement }]
  }
  return []
}

/** `is null`, `is distinct from`, and both with `not`. */
function nullTest(s: Statement, i: number): Change[] {
  const isNot = s.word(i + 1) === 'not'
  const what = s.word(i + (isNot ? 2 : 1))
  if (what !== 'null' && what !== 'distinct') return []
  const { end } = s.tokens[i]!
  const change = `is ${isNot ? 'not ' : ''}${what} to its opposite`
  return [isNot ? s.cut(change, end, s.tokens[i + 1]!.end) : { change, start: end, end, replacement: ' not' }]
}

/** A list of literals without each of its values, and the whole test turned round. */
function listChanges(s: Statement, i: number): Change[] {
  const { start } = s.tokens[i]!
  const isNot = s.word(i - 1) === 'not'
  const turned = isNot
    ? s.cut('not in to in', s.tokens[i - 1]!.start, start)
    : { change: 'in to not in', start, end: start, replacement: 'not ' }
  const close = s.closing(i + 1)
  const values = s.tokens.slice(i + 2, close)
  const isPlain =
    values.length > 1 &&
    values.every((v, n) => (n % 2 === 0 ? v.kind === 'string' || v.kind === 'number' : v.text === ','))
  if (!isPlain) return [turned]
  const without = values.flatMap((v, n) => {
    if (n % 2 === 1) return []
    if (n === 0) return [s.cut('value dropped from a list', v.start, values[1]!.end)]
    return [s.cut('value dropped from a list', values[n - 1]!.start, v.end)]
  })
  return [turned, ...without]
}
