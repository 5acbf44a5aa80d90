import type { AddressLines } from '../../state/customer-addresses.ts'
import { type UserError, userError } from '../user-errors.ts'
import { normalPhone } from './phone.ts'
import { provinceCodeOf } from './provinces.ts'

export type AddressInput = Partial<AddressLines> & {
  country?: string | null
  province?: string | null
  id?: string | null
}

const LINES = ['firstName', 'lastName', 'company', 'address1', 'address2', 'city', 'zip', 'phone'] as const
const NAMES: Record<(typeof LINES)[number], string> = {
  firstName: 'First name',
  lastName: 'Last name',
  company: 'Company',
  address1: 'Address1',
  address2: 'Address2',
  city: 'City',
  zip: 'Zip',
  phone: 'Phone'
}
const MAX_LENGTH = 255

/** Everything that is wrong with an address. */
export function addressProblems(input: AddressInput, at: string[]): UserError[] {
  return LINES.flatMap((line) => {
    const text = input[line] ?? ''
    const wrong = (what: string) => [userError([...at, line], `${NAMES[line]} ${what}`)]
    if (text.length > MAX_LENGTH) return wrong(`is too long (maximum is ${MAX_LENGTH} characters)`)
    if (/<[^>]+>/.test(text)) return wrong('cannot contain HTML tags')
    if (/https?:\/\//i.test(text)) return wrong('cannot contain URL')
    if (/\p{Extended_Pictographic}/u.test(text.replaceAll(/[\d#*©®™]/gu, ''))) return wrong('cannot contain emojis')
    return []
  })
}

export function isBlank(input: AddressInput): boolean {
  return [...LINES, 'countryCode' as const, 'country' as const].every((line) => !input[line]?.trim())
}

/** The lines of an address after a change; those that are not given stay. A name that is not given is the customer's. */
export function linesFrom(
  input: AddressInput,
  old: AddressLines | null,
  person: { firstName: string | null; lastName: string | null }
): AddressLines {
  const line = (name: keyof AddressLines) => {
    const given = input[name]
    return given === undefined ? (old?.[name] ?? null) : given?.trim() || null
  }
  const countryCode = line('countryCode') ?? countryCodeOf(input.country)
  const phone = line('phone')
  return {
    firstName: line('firstName') ?? person.firstName,
    lastName: line('lastName') ?? person.lastName,
    company: line('company'),
    address1: line('address1'),
    address2: line('address2'),
    city: line('city'),
    countryCode,
    provinceCode: line('provinceCode') ?? provinceCodeOf(countryCode, input.province),
    province: line('province'),
    zip: line('zip'),
    // What is no number is kept as it is.
    phone: phone && (normalPhone(phone, countryCode) ?? phone)
  }
}

/** Older clients name the country. */
function countryCodeOf(name: string | null | undefined): string | null {
  if (!name) return null
  const names = new Intl.DisplayNames('en', { type: 'region' })
  for (let a = 65; a <= 90; a++) {
    for (let b = 65; b <= 90; b++) {
      const code = String.fromCharCode(a, b)
      if (names.of(code)?.toLowerCase() === name.trim().toLowerCase()) return code
    }
  }
  return name.trim().toUpperCase()
}
