import { Refusal } from '#kit/refusal'

/** Deeper than any body of ours; what is deeper costs time and means harm. */
const MAX_DEPTH = 32

/**
 * JSON as we take it: valid UTF-8, no key twice in one object, no `__proto__`, not deeper than 32, no NUL and no half of a
 * surrogate pair in any text. JSON.parse alone would take the last of equal keys, and PostgreSQL keeps no NUL.
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
  checkTexts(text)
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

/** Over a text that JSON.parse took: every key and every string value of it. */
function checkTexts(text: string) {
  const keys: (Set<string> | null)[] = []
  for (let i = 0; i < text.length; i++) {
    const char = text.charCodeAt(i)
    if (char === 123) keys.push(new Set())
    else if (char === 91) keys.push(null)
    else if (char === 125 || char === 93) keys.pop()
    else if (char === QUOTE) {
      const end = endOfString(text, i)
      const string = JSON.parse(text.slice(i, end + 1)) as string
      if (string.includes('\0')) throw malformed('The body holds a NUL character')
      if (!string.isWellFormed()) throw malformed('The body holds half of a surrogate pair')
      if (isKey(text, end)) checkKey(string, keys.at(-1)!)
      i = end
    }
  }
}

function checkKey(key: string, seen: Set<string>) {
  if (key === '__proto__') throw malformed('The body holds the key __proto__')
  if (seen.has(key)) throw malformed(`The body holds the key ${JSON.stringify(key.slice(0, 100))} twice`)
  seen.add(key)
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

const malformed = (message: string) => new Refusal('invalid_request', message)
