// What reads a setting from its text; undefined: the text is none that is accepted.
import { isIP } from 'node:net'

export const asGiven = (given: string) => given

export function wholeNumber(min: number, max: number) {
  return (given: string) => {
    const number = Number(given)
    return /^\d+$/.test(given) && number >= min && number <= max ? number : undefined
  }
}

export function oneOf<const T extends string>(allowed: readonly T[]) {
  return (given: string) => allowed.find((word) => word === given.toLowerCase())
}

export const onOrOff = (given: string) => {
  const word = oneOf(['on', 'off'])(given)
  return word && word === 'on'
}

export function listOf(fits: (entry: string) => boolean) {
  return (given: string) => {
    const entries = given.split(',').map((entry) => entry.trim())
    return entries.every(fits) ? entries : undefined
  }
}

export const isNetwork = (entry: string) => {
  const [address = '', bits = '', more] = entry.split('/')
  const most = { 0: -1, 4: 32, 6: 128 }[isIP(address)]!
  return more === undefined && /^\d{1,3}$/.test(bits) && Number(bits) <= most
}

export const isAddressOrNetwork = (entry: string) => isIP(entry) !== 0 || isNetwork(entry)

export function origin(given: string): string | undefined {
  const url = URL.parse(given)
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') return undefined
  return url.href === `${url.origin}/` ? url.origin : undefined
}

export function postgresUrl(given: string): string | undefined {
  return ['postgres:', 'postgresql:'].includes(URL.parse(given)?.protocol ?? '') ? given : undefined
}
