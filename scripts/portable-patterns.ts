// The patterns that we publish are read by the engines of our readers' languages: ECMAScript, Python's `re`, and RE2 (Go).

/**
 * Escapes that mean the same in all three. `\d`, `\w` and `\b` are Unicode's in Python and ASCII's in the others; `\s` is something
 * else in each. `$` stays, since nothing else ends a pattern in all of them: in Python it also accepts one line feed at the end.
 */
const ESCAPE = /^\\(?:[tnrf]|x[0-9a-f]{2}|[^0-9A-Za-z\s])/

const TIMES = /^\{(\d+)(?:,(\d*))?\}/

/** RE2 repeats no part more often. */
const MAX_TIMES = 1000

/** Why a pattern is not one that all of them know and read alike; null for one that is. */
export function patternProblem(pattern: string): string | null {
  try {
    new RegExp(pattern, 'u')
  } catch (err) {
    return (err as Error).message
  }
  for (let i = 0; i < pattern.length; ) {
    const rest = pattern.slice(i)
    if (rest.startsWith('[')) {
      const end = endOfClass(rest)
      if (typeof end === 'string') return end
      i += end
    } else if (rest.startsWith('\\')) {
      const [known] = ESCAPE.exec(rest) ?? []
      if (!known) return unknownEscape(rest)
      i += known.length
    } else if (rest.startsWith('(?') && !rest.startsWith('(?:')) {
      return `${rest.slice(0, 3)} is not known to all engines`
    } else if (rest.startsWith('{')) {
      const [times, from, to] = TIMES.exec(rest) ?? []
      if (!times) return 'a brace that is no number of times must be escaped'
      if (Math.max(Number(from), Number(to || 0)) > MAX_TIMES) return `${times} is more than ${MAX_TIMES} times`
      i += times.length
    } else i++
  }
  return null
}

/** How long the class is with which the text begins, or why it is not read alike. */
function endOfClass(text: string): number | string {
  for (let i = text.startsWith('[^') ? 2 : 1; i < text.length; ) {
    const rest = text.slice(i)
    if (rest.startsWith(']'))
      return i < 3 && /^\[\^?\]/.test(text) ? 'an empty class is not known to all engines' : i + 1
    if (rest.startsWith('[')) return 'a [ in a class must be escaped'
    if (/^(?:--|&&|\|\||~~)/.test(rest)) return `${rest.slice(0, 2)} in a class is an operator in some engines`
    if (!rest.startsWith('\\')) {
      i++
      continue
    }
    const [known] = ESCAPE.exec(rest) ?? []
    if (!known) return unknownEscape(rest)
    i += known.length
  }
  return 'a class has no end'
}

const unknownEscape = (rest: string) => `${rest.slice(0, 2)} is not known to all engines, or has another meaning in one`
