// What reads a setting from its text; undefined: the text is none that is accepted.
import { isIP } from 'node:net'

/** The text itself. */
export const asGiven = (given: string) => given

/** A whole number within these limits. */
export function wholeNumberText(min: number, max: number) {
  return (given: string) => {
    const number = Number(given)
    return /^\d+$/.test(given) && number >= min && number <= max ? number : undefined
  }
}

/** One of these words, in upper or lower case. */
export function oneOfWords<const T extends string>(allowed: readonly T[]) {
  return (given: string) => allowed.find((word) => word === given.toLowerCase())
}

/** True for on, false for off. */
export const onOrOff = (given: string) => {
  const word = oneOfWords(['on', 'off'])(given)
  return word && word === 'on'
}

/** Entries that fit, separated by commas. */
export function listOf(fits: (entry: string) => boolean) {
  return (given: string) => {
    const entries = given.split(',').map((entry) => entry.trim())
    return entries.every(fits) ? entries : undefined
  }
}

/** Whether it is a network such as 10.20.0.0/16. */
export const isNetwork = (entry: string) => {
  const [address = '', bits = '', more] = entry.split('/')
  const max = { 0: -1, 4: 32, 6: 128 }[isIP(address)]!
  return more === undefined && /^\d{1,3}$/.test(bits) && Number(bits) <= max
}

/** Whether it is an address or a network. */
export const isAddressOrNetwork = (entry: string) => isIP(entry) !== 0 || isNetwork(entry)

/** An http or https address without a path. */
export function origin(given: string): string | undefined {
  const url = URL.parse(given)
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') return undefined
  return url.href === `${url.origin}/` ? url.origin : undefined
}

/** The address of a PostgreSQL. */
export function postgresUrl(given: string): string | undefined {
  return ['postgres:', 'postgresql:'].includes(URL.parse(given)?.protocol ?? '') ? given : undefined
}
