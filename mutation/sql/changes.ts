import { conditionChanges } from './condition-changes.ts'
import { Statement } from './statement.ts'
import type { Hole } from './tokens.ts'

/** A change within one SQL text: offsets are those of the text. */
export type Change = { change: string; start: number; end: number; replacement: string }

/** The changes of a text that is a statement or a part of one. Whether each still parses is not known yet. */
export function sqlChanges(text: string, holes: Hole[] = []): Change[] {
  const statement = new Statement(text, holes)
  const all = [
    ...conditionChanges(statement),
    ...lockChanges(statement),
    ...limitChanges(statement),
    ...orderChanges(statement),
    ...conflictChanges(statement),
    ...valueChanges(statement)
  ]
  const messages = messagesOf(statement)
  const seen = new Set<string>()
  return all.filter(({ start, end, replacement }) => {
    if (messages.some(([from, to]) => from <= start && end <= to)) return false
    const key = `${start} ${end} ${replacement}`
    return !seen.has(key) && seen.add(key) && text.slice(start, end) !== replacement
  })
}

/** Where texts for people are put together: `… as message`. */
function messagesOf(s: Statement): [number, number][] {
  return s.tokens.flatMap((token, i): [number, number][] => {
    if (i < 2 || token.text !== 'message' || s.word(i - 1) !== 'as') return []
    return [[s.tokens[s.firstOfOperand(i - 2)]!.start, token.end]]
  })
}

function lockChanges(s: Statement): Change[] {
  return s.tokens.flatMap((token, i) => {
    if (s.isLock(i)) return [s.cut('lock dropped', token.start, s.endOfClause(i + 1))]
    if (token.text === 'skip' && s.word(i + 1) === 'locked')
      return [s.cut('skip locked dropped', token.start, s.tokens[i + 1]!.end)]
    return []
  })
}

function limitChanges(s: Statement): Change[] {
  return s.tokens.flatMap((token, i) => {
    if (token.text !== 'limit' || !s.tokens[i + 1]) return []
    const [start, end] = [s.tokens[i + 1]!.start, s.endOfClause(i + 1)]
    const most = s.text.slice(start, end)
    const whole = /^\d+$/.test(most)
    const plus = (by: number) => (whole ? `${Number(most) + by}` : `${most} ${by > 0 ? '+' : '-'} 1`)
    return [
      s.cut('limit dropped', token.start, end),
      { change: 'limit one more', start, end, replacement: plus(1) },
      { change: 'limit one less', start, end, replacement: plus(-1) }
    ]
  })
}

function orderChanges(s: Statement): Change[] {
  return s.tokens.flatMap((token, i) => {
    if (token.text !== 'order' || s.word(i + 1) !== 'by') return []
    const last = s.lastOfClause(i + 2)
    const dropped = s.cut('order dropped', token.start, s.tokens[last]!.end)
    let from = i + 2
    const reversed: Change[] = []
    for (let at = i + 2; at <= last; at++) {
      const isEnd = at === last || (s.tokens[at + 1]!.text === ',' && s.tokens[at + 1]!.depth === token.depth)
      if (!isEnd) continue
      reversed.push(reverse(s, from, at))
      from = at + 2
      at++
    }
    return [dropped, ...reversed]
  })
}

/** The key of an order from one token to another, the other way round. */
function reverse(s: Statement, from: number, to: number): Change {
  const nulls = s.tokens.findIndex(({ text }, i) => i >= from && i <= to && text === 'nulls')
  const last = s.tokens[nulls < 0 ? to : nulls - 1]!
  const change = 'order reversed'
  if (last.text === 'desc') return { change, start: last.start, end: last.end, replacement: 'asc' }
  if (last.text === 'asc') return { change, start: last.start, end: last.end, replacement: 'desc' }
  return { change, start: last.end, end: last.end, replacement: ' desc' }
}

function conflictChanges(s: Statement): Change[] {
  return s.tokens.flatMap((token, i) => {
    if (token.text !== 'on' || s.word(i + 1) !== 'conflict') return []
    const end = s.endOfClause(i + 2)
    const action = s.tokens.findIndex(({ text, depth }, n) => n > i && text === 'do' && depth === token.depth)
    const dropped = s.cut('on conflict dropped', token.start, end)
    if (s.word(action + 1) !== 'update') return [dropped]
    const { start } = s.tokens[action]!
    return [dropped, { change: 'on conflict does nothing', start, end, replacement: 'do nothing' }]
  })
}

const TWINS = new Map([
  ['greatest', 'least'],
  ['least', 'greatest'],
  ['min', 'max'],
  ['max', 'min']
])

function valueChanges(s: Statement): Change[] {
  return s.tokens.flatMap((token, i) => {
    const { text, start, end } = token
    const twin = TWINS.get(text)
    if (twin && s.word(i + 1) === '(') return [{ change: `${text} to ${twin}`, start, end, replacement: twin }]
    if (text === 'coalesce' && s.word(i + 1) === '(') return coalesceChanges(s, i)
    if (token.kind !== 'operator' || (text !== '+' && text !== '-')) return []
    if (s.isValue(i - 1)) return [{ change: 'sign of a term', start, end, replacement: text === '+' ? '-' : '+' }]
    return text === '-' ? [{ change: 'minus dropped', start, end, replacement: '' }] : []
  })
}

/** Without its first value, and without its last. */
function coalesceChanges(s: Statement, at: number): Change[] {
  const { depth } = s.tokens[at]!
  const close = s.closing(at + 1)
  const commas = s.tokens.flatMap((t, i) => (i > at && i < close && t.text === ',' && t.depth === depth + 1 ? [i] : []))
  if (commas.length === 0) return []
  const [first, last] = [s.tokens[commas[0]!]!, s.tokens[commas.at(-1)!]!]
  return [
    s.cut('coalesce without its default', last.start, s.tokens[close]!.start),
    s.cut('coalesce without its value', s.tokens[at + 1]!.end, first.end)
  ]
}
