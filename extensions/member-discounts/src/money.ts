/** Currencies that have no second decimal, or a third, as the platform counts them. */
const OTHER_DECIMALS: Record<string, string> = {
  0: 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF',
  3: 'BHD IQD JOD KWD LYD OMR TND',
  4: 'CLF UYW'
}

export function decimalsOf(currency: string): number {
  const found = Object.keys(OTHER_DECIMALS).find((decimals) => OTHER_DECIMALS[decimals]!.split(' ').includes(currency))
  return found === undefined ? 2 : Number(found)
}

/** What cannot be read: the function then takes nothing off. It says no more, since nothing shows it and pages of shops load it. */
export class Unreadable extends Error {}

/** A decimal text in minor units. More decimals than the currency has are no amount of it, unless they are zeros. */
export function minorOf(text: string, decimals: number): number {
  const [, whole, part = ''] = /^(\d{1,13})(?:\.(\d+))?$/.exec(text) ?? []
  if (whole === undefined || /[1-9]/.test(part.slice(decimals))) throw new Unreadable()
  return Number(whole + part.slice(0, decimals).padEnd(decimals, '0'))
}

/** How an amount of a plan, in the shop's currency, comes to the currency of the cart. */
export type Exchange = { rate: number; decimals: number }

/** In the currency of the cart, rounded down: no perk is exceeded. */
export function reductionMinor(text: string, { rate, decimals }: Exchange): number {
  return rate === 1 ? minorOf(text, decimals) : Math.floor(exchanged(text, { rate, decimals }))
}

/** The same rounded up: what has to be reached. */
export function thresholdMinor(text: string, { rate, decimals }: Exchange): number {
  return rate === 1 ? minorOf(text, decimals) : Math.ceil(exchanged(text, { rate, decimals }))
}

function exchanged(text: string, { rate, decimals }: Exchange): number {
  if (!/^\d{1,13}(\.\d{1,6})?$/.test(text) || !(rate > 0)) throw new Unreadable()
  // A rest below a millionth of a minor unit is what binary numbers add.
  return Math.round(Number(text) * rate * 10 ** decimals * 1e6) / 1e6
}

/** Minor units as a decimal text. */
export function decimalOf(minor: number, decimals: number): string {
  const digits = String(minor).padStart(decimals + 1, '0')
  return decimals === 0 ? digits : `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`
}
