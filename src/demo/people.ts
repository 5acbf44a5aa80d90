import type { DemoCustomer } from './demo-sandbox.ts'

const FIRST_NAMES = 'Ada Ben Chloé Diego Emi Farid Grace Hanna Ivo Jun Kofi Lena Mina Noah Olga Priya'.split(' ')
const LAST_NAMES =
  'Adler Brandt Castro Dubois Eze Fischer Garcia Haas Ito Jensen Kaya Lopez Moreau Nowak Okafor Park'.split(' ')

const PLACES = [
  ['US', 'NY'],
  ['US', 'CA'],
  ['CA', 'ON'],
  ['US', 'TX'],
  ['GB', 'ENG'],
  ['DE', 'BE']
] as const

/** The person with number `i` of a store; `salt` keeps the addresses of several seedings apart. */
export function personOf(i: number, salt: string, pick: <T>(list: readonly T[]) => T): DemoCustomer {
  const firstName = FIRST_NAMES[i % FIRST_NAMES.length]!
  const lastName = LAST_NAMES[Math.floor(i / FIRST_NAMES.length + i) % LAST_NAMES.length]!
  const [countryCode, provinceCode] = pick(PLACES)
  const email = `${firstName}.${lastName}.${i + 1}.${salt}@example.com`
    .toLowerCase()
    .normalize('NFD')
    .replace(/[^a-z0-9.@]/g, '')
  return { email, firstName, lastName, countryCode, provinceCode }
}
