import { countryName } from '../../state/addresses.ts'
import type { AddressLines, CustomerAddress } from '../../state/customer-addresses.ts'
import { type Customer, displayNameOf } from '../../state/customers.ts'
import { provinceName } from './provinces.ts'

/** An address of a customer in the API. */
export function presentAddress(id: string, lines: AddressLines) {
  const { firstName, lastName, city, countryCode, provinceCode } = lines
  const country = countryCode && countryName(countryCode)
  const area = [[city, provinceCode].filter(Boolean).join(' '), country].filter(Boolean).join(', ')
  return {
    __typename: 'MailingAddress',
    id: `${id}?model_name=CustomerAddress`,
    ...lines,
    name: displayNameOf({ firstName, lastName, email: null }) || null,
    country,
    countryCode,
    countryCodeV2: countryCode,
    province: (provinceCode && provinceName(countryCode, provinceCode)) ?? lines.province ?? provinceCode,
    formattedArea: area || null,
    formatted: [
      lines.address1,
      lines.address2,
      [city, provinceCode, lines.zip].filter(Boolean).join(' '),
      country
    ].filter(Boolean)
  }
}

/** The default address; of a customer of whom only a country is known, that. */
export function defaultAddressOf(customer: Customer, all: CustomerAddress[]) {
  const found = all.find(({ isDefault }) => isDefault)
  if (found) return presentAddress(found.id, found.body)
  if (!customer.country) return null
  const { firstName, lastName, country: countryCode, province: provinceCode } = customer
  const unknown = { company: null, province: null, address1: null, address2: null, city: null, zip: null, phone: null }
  return presentAddress(customer.id, { ...unknown, firstName, lastName, countryCode, provinceCode })
}
