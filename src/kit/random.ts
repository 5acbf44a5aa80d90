import { randomInt } from 'node:crypto'

/** Characters of codes that people type: no I, O, 0 and 1, which they confuse. Each has five bits. */
export const CODE_ALPHABET = '23456789ABCDEFGHJKLMNPQRSTUVWXYZ'

/** So many characters that nobody can guess. */
export const randomCode = (length: number): string =>
  Array.from({ length }, () => CODE_ALPHABET[randomInt(CODE_ALPHABET.length)]).join('')

/** Numbers from 0 up to 1, the same sequence for a seed (mulberry32). For demo data and trials, never for secrets. */
export function randomFrom(seed: number): () => number {
  // Spread, so that neighbouring seeds start far apart.
  let state = Math.imul(seed, 2_654_435_761) >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = state
    t = Math.imul(t ^ (t >>> 15), t | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296
  }
}
