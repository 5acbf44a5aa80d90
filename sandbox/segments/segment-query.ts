import { filterNamed } from './filters.ts'
import { type Token, tokensOf } from './tokens.ts'

export type Literal = { text: string; kind: Token['kind'] }
export type Comparison = { op: string; values: Literal[] }
/** A query of a segment, as a tree. */
export type Condition =
  | { type: 'and' | 'or'; left: Condition; right: Condition }
  | { type: 'not'; of: Condition }
  | { type: 'filter'; name: string; comparison: Comparison }

export type ParsedSegment = { condition: Condition } | { errors: string[] }

type Reader = { tokens: Token[]; at: number; length: number; names: Token[] }

/** Stops the reader at the first token that does not fit. */
class Unexpected extends Error {}

const SIGNS = ['=', '!=', '>', '<', '>=', '<=']

/**
 * Reads the platform's language of segments: comparisons of filters, joined by AND and OR, with NOT and parentheses. The errors
 * are the platform's: the token that does not fit, then the filters before it that do not exist. Columns count from 0.
 */
export function parseSegment(text: string): ParsedSegment {
  const reader: Reader = { tokens: tokensOf(text), at: 0, length: text.length, names: [] }
  const errors: string[] = []
  let condition: Condition | null = null
  try {
    condition = either(reader)
    if (reader.at < reader.tokens.length) throw unexpected(reader)
  } catch (err) {
    if (!(err instanceof Unexpected)) throw err
    errors.push(err.message)
  }
  for (const name of reader.names) {
    if (filterNamed(name.text)) continue
    errors.push(`Line ${name.line} Column ${name.column}: '${name.text}' filter cannot be found.`)
  }
  return condition && errors.length === 0 ? { condition } : { errors }
}

function unexpected({ tokens, at, length }: Reader): Unexpected {
  const token = tokens[at]
  if (!token) return new Unexpected(`Line 1 Column ${length}: '' is unexpected.`)
  return new Unexpected(`Line ${token.line} Column ${token.column}: '${token.text}' is unexpected.`)
}

const isWord = ({ tokens, at }: Reader, word: string, ahead = 0): boolean => {
  const token = tokens[at + ahead]
  return token?.kind === 'word' && token.text.toUpperCase() === word
}

/** Steps over a word of the language, if it is next. */
function took(reader: Reader, ...words: string[]): boolean {
  if (!words.every((word, ahead) => isWord(reader, word, ahead))) return false
  reader.at += words.length
  return true
}

function tookSign(reader: Reader, sign: string): boolean {
  const token = reader.tokens[reader.at]
  if (token?.kind !== 'sign' || token.text !== sign) return false
  reader.at++
  return true
}

function mustTakeSign(reader: Reader, sign: string): void {
  if (!tookSign(reader, sign)) throw unexpected(reader)
}

function either(reader: Reader): Condition {
  let left = both(reader)
  while (took(reader, 'OR')) left = { type: 'or', left, right: both(reader) }
  return left
}

function both(reader: Reader): Condition {
  let left = one(reader)
  while (took(reader, 'AND')) left = { type: 'and', left, right: one(reader) }
  return left
}

function one(reader: Reader): Condition {
  if (took(reader, 'NOT')) return { type: 'not', of: one(reader) }
  if (tookSign(reader, '(')) {
    const inner = either(reader)
    mustTakeSign(reader, ')')
    return inner
  }
  const name = reader.tokens[reader.at]
  if (name?.kind !== 'word') throw unexpected(reader)
  reader.at++
  reader.names.push(name)
  // The parameters of an event narrow it; whether it happened is not known here either way.
  if (filterNamed(name.text)?.type === 'Event') parameters(reader)
  return { type: 'filter', name: name.text.toLowerCase(), comparison: comparison(reader) }
}

function parameters(reader: Reader): void {
  if (!tookSign(reader, '(')) return
  do {
    const name = reader.tokens[reader.at]
    if (name?.kind !== 'word') throw unexpected(reader)
    reader.at++
    mustTakeSign(reader, ':')
    if (tookSign(reader, '(')) list(reader)
    else literal(reader)
  } while (tookSign(reader, ','))
  mustTakeSign(reader, ')')
}

function comparison(reader: Reader): Comparison {
  if (took(reader, 'IS', 'NOT', 'NULL')) return { op: 'is not null', values: [] }
  if (took(reader, 'IS', 'NULL')) return { op: 'is null', values: [] }
  if (took(reader, 'NOT', 'CONTAINS')) return { op: 'not contains', values: [literal(reader)] }
  if (took(reader, 'CONTAINS')) return { op: 'contains', values: [literal(reader)] }
  if (took(reader, 'STARTS', 'WITH')) return { op: 'starts with', values: [literal(reader)] }
  if (took(reader, 'ENDS', 'WITH')) return { op: 'ends with', values: [literal(reader)] }
  if (took(reader, 'BETWEEN')) {
    const from = literal(reader)
    if (!took(reader, 'AND')) throw unexpected(reader)
    return { op: 'between', values: [from, literal(reader)] }
  }
  const isNot = isWord(reader, 'NOT') && isWord(reader, 'IN', 1)
  if (isNot ? took(reader, 'NOT', 'IN') : took(reader, 'IN')) {
    mustTakeSign(reader, '(')
    return { op: isNot ? 'not in' : 'in', values: list(reader) }
  }
  const sign = SIGNS.find((candidate) => tookSign(reader, candidate))
  if (!sign) throw unexpected(reader)
  return { op: sign, values: [literal(reader)] }
}

function list(reader: Reader): Literal[] {
  const values = [literal(reader)]
  while (tookSign(reader, ',')) values.push(literal(reader))
  mustTakeSign(reader, ')')
  return values
}

function literal(reader: Reader): Literal {
  const token = reader.tokens[reader.at]
  if (!token || token.kind === 'sign') throw unexpected(reader)
  if (token.kind === 'word' && !/^(true|false|[a-z_]+)$/i.test(token.text)) throw unexpected(reader)
  reader.at++
  return { text: token.value ?? token.text, kind: token.kind }
}
