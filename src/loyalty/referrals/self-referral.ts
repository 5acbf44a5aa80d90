import type { PlatformAddress } from '#platform'

/** Providers whose addresses are the same with and without dots. */
const IGNORES_DOTS = new Set(['gmail.com', 'googlemail.com'])

/** An e-mail address by which the same mailbox is found: without capitals, and without what follows a `+` before the `@`. */
function mailboxOf(email: string): string {
  const lower = email.trim().normalize('NFKC').toLowerCase()
  const at = lower.lastIndexOf('@')
  if (at <= 0) return lower
  const domain = lower.slice(at + 1)
  const name = lower.slice(0, at).replace(/(.)\+.*$/, '$1')
  return IGNORES_DOTS.has(domain) ? `${name.replaceAll('.', '')}@gmail.com` : `${name}@${domain}`
}

/** Whether two people have one mailbox. Who has none has none in common. */
export const isSameMailbox = (one: string | null, other: string | null): boolean =>
  Boolean(one?.trim() && other?.trim()) && mailboxOf(one!) === mailboxOf(other!)

/**
 * Whether two addresses are one home: the same street and house, place and country, however they are written. Who names a flat lives with who
 * names none, and not with who names another. One without a street, or without a place, is no home.
 */
export function isSameHome(one: PlatformAddress, other: PlatformAddress): boolean {
  const street = plain(one.address1)
  const place = placeOf(one, other)
  if (street === '' || street !== plain(other.address1) || place === null) return false
  if (plain(one.countryCode) !== plain(other.countryCode)) return false
  const [flat, otherFlat] = [plain(one.address2), plain(other.address2)]
  return place && (flat === '' || otherFlat === '' || flat === otherFlat)
}

/** Whether the place is the same: by the postal code, or the city where one has no code. Null where neither can be compared. */
function placeOf(one: PlatformAddress, other: PlatformAddress): boolean | null {
  const [zip, otherZip] = [plain(one.zip), plain(other.zip)]
  if (zip !== '' && otherZip !== '') return zip === otherZip
  const [city, otherCity] = [plain(one.city), plain(other.city)]
  return city === '' || otherCity === '' ? null : city === otherCity
}

/** Letters and digits alone, without marks. */
const plain = (text: string | null): string =>
  (text ?? '')
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '')
