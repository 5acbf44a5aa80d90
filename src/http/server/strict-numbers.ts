/** A double keeps this many digits exactly, unless the number is very close to zero. */
const SURE_DIGITS = 15
/** The powers of ten between which that is true. Closer to zero a double has fewer digits, and in the end none. */
const [SURE_FROM, SURE_TO] = [-307, 307]

/** Where a number of a valid JSON text ends, and what a double would lose: digits, or everything because it is too small. */
type NumberRead = { end: number; lost: 'digits' | 'smallness' | null }

/** Reads a number once. Only a number with many digits, or near the limits of a double, is checked more closely. */
export function readNumber(text: string, start: number): NumberRead {
  let i = text.charCodeAt(start) === MINUS ? start + 1 : start
  let [first, last, point] = [-1, -1, -1]
  let char = text.charCodeAt(i)
  for (; isDigit(char) || char === POINT; char = text.charCodeAt(++i)) {
    if (char === POINT) point = i
    else if (char !== ZERO) {
      if (first < 0) first = i
      last = i
    }
  }
  if (point < 0) point = i
  let exponent = 0
  if (char === LOWER_E || char === UPPER_E) {
    char = text.charCodeAt(++i)
    const isNegative = char === MINUS
    if (isNegative || char === PLUS) char = text.charCodeAt(++i)
    for (; isDigit(char); char = text.charCodeAt(++i)) exponent = exponent * 10 + char - ZERO
    if (isNegative) exponent = -exponent
  }
  if (first < 0) return { end: i, lost: null }
  const digits = last - first + (first < point && point < last ? 0 : 1)
  const power = exponent + point - first - (first < point ? 1 : 0)
  const isSure = digits <= SURE_DIGITS && power >= SURE_FROM && power <= SURE_TO
  return { end: i, lost: isSure ? null : lostOf(text.slice(start, i)) }
}

const [MINUS, PLUS, POINT, ZERO, NINE, UPPER_E, LOWER_E] = [45, 43, 46, 48, 57, 69, 101]

const isDigit = (char: number) => char >= ZERO && char <= NINE

/** For a number that is not zero. A number beyond all doubles is left to the check of the field. */
function lostOf(number: string): NumberRead['lost'] {
  const double = Number(number)
  if (double === 0) return 'smallness'
  const printed = String(double)
  const isKept = number === printed || !Number.isFinite(double) || normal(number) === normal(printed)
  return isKept ? null : 'digits'
}

/** The same text for every way to write a number, without its sign: 0.5e1 is `5e1`, with its digits after the point. */
function normal(number: string): string {
  const [, whole = '', fraction = '', exponent = '0'] = /^-?(\d+)(?:\.(\d+))?(?:[eE]([-+]?\d+))?$/.exec(number)!
  const digits = whole + fraction
  const first = digits.search(/[1-9]/)
  let end = digits.length
  while (digits.charCodeAt(end - 1) === ZERO) end--
  return `${digits.slice(first, end)}e${whole.length - first + Number(exponent)}`
}
