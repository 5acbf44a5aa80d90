import { Refusal } from '#kit/refusal'

/** Deeper than any body of ours; what is deeper costs time and means harm. */
const MAX_DEPTH = 32

/**
 * JSON as we take it: valid UTF-8, no key twice in one object, no `__proto__`, not deeper than 32, no NUL and no half of a
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
    throw malformed('The body is not valid JSON')
  }
  checkTokens(text)
  return value
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

function decode(bytes: Buffer): string {
  try {
    return utf8.decode(bytes)
  } catch {
    throw malformed('The body is not valid UTF-8')
  }
}

const QUOTE = 34
const BACKSLASH = 92

/** Before JSON.parse, over a text of which nothing is known yet. */
function checkDepth(text: string) {
  let depth = 0
  for (let i = 0; i < text.length; i++) {
    const char = text.charCodeAt(i)
    if (char === QUOTE) i = endOfString(text, i)
    else if (char === 123 || char === 91) {
      if (++depth > MAX_DEPTH) throw malformed(`The body is nested deeper than ${MAX_DEPTH}`)
    } else if (char === 125 || char === 93) depth--
  }
}

/** An object or list that is open where we read, with the keys that it had so far; a list has none. */
type Container = { seen: Set<string>; key: string | null }

/** Over a text that JSON.parse took: every key, every string value and every number of it. */
function checkTokens(text: string) {
  const open: Container[] = []
  for (let i = 0; i < text.length; i++) {
    const char = text.charCodeAt(i)
    if (char === 123) open.push({ seen: new Set(), key: null })
    else if (char === 91) open.push({ seen: new Set(), key: null })
    else if (char === 125 || char === 93) open.pop()
    else if (char === QUOTE) {
      const end = endOfString(text, i)
      const string = JSON.parse(text.slice(i, end + 1)) as string
      if (string.includes('\0')) throw malformed('The body holds a NUL character')
      if (!string.isWellFormed()) throw malformed('The body holds half of a surrogate pair')
      if (isKey(text, end)) checkKey(string, open.at(-1)!)
      i = end
    } else if (char === MINUS || (char >= ZERO && char <= NINE)) {
      NUMBER.lastIndex = i
      const [number] = NUMBER.exec(text)!
      if (!isKept(number)) throw notKept(number, open)
      i += number.length - 1
    }
  }
}

function checkKey(key: string, object: Container) {
  if (key === '__proto__') throw malformed('The body holds the key __proto__')
  if (object.seen.has(key)) throw malformed(`The body holds the key ${JSON.stringify(key.slice(0, 100))} twice`)
  object.seen.add(key)
  object.key = key
}

function endOfString(text: string, start: number): number {
  let i = start + 1
  while (i < text.length && text.charCodeAt(i) !== QUOTE) i += text.charCodeAt(i) === BACKSLASH ? 2 : 1
  return i
}

const COLON_NEXT = /[ \t\n\r]*:/y

function isKey(text: string, end: number): boolean {
  COLON_NEXT.lastIndex = end + 1
  return COLON_NEXT.test(text)
}

const [MINUS, ZERO, NINE] = [45, 48, 57]
const NUMBER = /[-+.eE0-9]+/y
/** So many digits always come back from a double as they were. */
const SURE_DIGITS = 15

/** Whether the number is still the same once it is a double. What is beyond all doubles is left to who takes the value. */
function isKept(number: string): boolean {
  if (number.length <= SURE_DIGITS && !/e/i.test(number)) return true
  const double = Number(number)
  const printed = String(double)
  return number === printed || !Number.isFinite(double) || normal(number) === normal(printed)
}

/** The same text for every way to write a number, without its sign: 0.5e1 is `5e1`, its digits behind the point. */
function normal(number: string): string {
  const [, whole = '', fraction = '', exponent = '0'] = /^-?(\d+)(?:\.(\d+))?(?:[eE]([-+]?\d+))?$/.exec(number)!
  const digits = whole + fraction
  const first = digits.search(/[1-9]/)
  if (first < 0) return '0'
  let end = digits.length
  while (digits.charCodeAt(end - 1) === ZERO) end--
  return `${digits.slice(first, end)}e${whole.length - first + Number(exponent)}`
}

function notKept(number: string, open: Container[]): Refusal {
  const path = open.flatMap(({ key }) => key ?? []).join('.')
  const where = path === '' ? '' : ` at ${JSON.stringify(path.slice(0, 100))}`
  const short = number.length > 40 ? `${number.slice(0, 40)}…` : number
  return malformed(`The body holds the number ${short}${where}, which has more digits than a double keeps`)
}

const malformed = (message: string) => new Refusal('invalid_request', message)
