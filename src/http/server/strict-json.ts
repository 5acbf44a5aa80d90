import { invalidBody, Refusal } from '#kit/refusal'
import { readNumber } from './strict-numbers.ts'

/** Deeper than any body of ours. Deeper bodies cost time and have no use. */
const MAX_DEPTH = 32

/**
 * The JSON that we accept: valid UTF-8, no key twice in one object, no `__proto__`, not deeper than 32, no NUL and no half of a
 * surrogate pair in any text, no number that would be another one as a double. JSON.parse alone would take the last of
 * equal keys and round numbers, and PostgreSQL keeps no NUL.
 */
export function parseStrictJson(bytes: Buffer): unknown {
  const text = decode(bytes)
  checkDepth(text)
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw invalidBody('is not valid JSON')
  }
  checkTokens(text)
  return value
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

function decode(bytes: Buffer): string {
  try {
    return utf8.decode(bytes)
  } catch {
    throw invalidBody('is not valid UTF-8')
  }
}

const QUOTE = 34
const BACKSLASH = 92

/** Runs before JSON.parse, over a text that may be anything. */
function checkDepth(text: string) {
  let depth = 0
  for (let i = 0; i < text.length; i++) {
    const char = text.charCodeAt(i)
    if (char === QUOTE) i = endOfString(text, i)
    else if (char === 123 || char === 91) {
      if (++depth > MAX_DEPTH) throw invalidBody(`is nested deeper than ${MAX_DEPTH}`)
    } else if (char === 125 || char === 93) depth--
  }
}

/** An object or list that is open at the position of the reader: its last key, and all keys from the second on. A list has none. */
type Container = { key: string | null; seen: Set<string> | null }

/** Checks every key, string and number of a text that JSON.parse has accepted. */
function checkTokens(text: string) {
  const open: Container[] = []
  for (let i = 0; i < text.length; i++) {
    const char = text.charCodeAt(i)
    if (char === 123 || char === 91) open.push({ key: null, seen: null })
    else if (char === 125 || char === 93) open.pop()
    else if (char === QUOTE) {
      const end = endOfString(text, i)
      checkString(text, i, end, open)
      i = end
    } else if (char === MINUS || (char >= ZERO && char <= NINE)) {
      const { end, lost } = readNumber(text, i)
      if (lost) throw notKept(text.slice(i, end), lost, open)
      i = end - 1
    }
  }
}

/** Only a string with an escape needs a check; without one it is what was decoded, which is valid. */
function checkString(text: string, start: number, end: number, open: Container[]) {
  const isAKey = isKey(text, end)
  const written = text.slice(start + 1, end)
  const hasEscape = written.includes('\\')
  const string = hasEscape ? (JSON.parse(`"${written}"`) as string) : written
  if (hasEscape && string.includes('\0')) throw invalidBody('holds a NUL character')
  if (hasEscape && !string.isWellFormed()) throw invalidBody('holds half of a surrogate pair')
  if (isAKey) checkKey(string, open.at(-1)!)
}

function checkKey(key: string, object: Container) {
  if (key === '__proto__') throw invalidBody('holds the key __proto__')
  if (object.key !== null) {
    object.seen ??= new Set([object.key])
    if (object.seen.has(key)) throw invalidBody(`holds the key ${JSON.stringify(key.slice(0, 100))} twice`)
    object.seen.add(key)
  }
  object.key = key
}

function endOfString(text: string, start: number): number {
  let i = start + 1
  for (let char = text.charCodeAt(i); i < text.length && char !== QUOTE; char = text.charCodeAt(i)) {
    i += char === BACKSLASH ? 2 : 1
  }
  return i
}

/** In a valid text a string is a key when a colon follows, after optional space. */
function isKey(text: string, end: number): boolean {
  let next = end + 1
  while (text.charCodeAt(next) <= SPACE) next++
  return text.charCodeAt(next) === COLON
}

const [SPACE, MINUS, ZERO, NINE, COLON] = [32, 45, 48, 57, 58]

const LOSSES = {
  digits: 'has more digits than a double keeps (up to 15 are always accepted)',
  smallness: 'is too small for a double'
}

function notKept(number: string, lost: keyof typeof LOSSES, open: Container[]): Refusal {
  const path = open.flatMap(({ key }) => key ?? []).join('.')
  const where = path === '' ? '' : ` at ${JSON.stringify(path.slice(0, 100))}`
  const short = number.length > 40 ? `${number.slice(0, 40)}…` : number
  return new Refusal('invalid_request', `The body holds the number ${short}${where}, which ${LOSSES[lost]}`, [
    {
      field: path.slice(0, 100) || 'body',
      code: 'invalid',
      message: `holds the number ${short}, which ${LOSSES[lost]}`
    }
  ])
}
