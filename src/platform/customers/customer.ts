import type { Fields } from '../wire/fields.ts'

export type PlatformCustomer = {
  id: string
  email: string | null
  firstName: string | null
  lastName: string | null
  countryCode: string | null
  provinceCode: string | null
  createdAt: Temporal.Instant | null
  updatedAt: Temporal.Instant | null
}

export const customerParts = `id firstName lastName createdAt updatedAt
    defaultEmailAddress { emailAddress }
    defaultAddress { countryCodeV2 provinceCode }`

/** Reads `customerParts`. */
export function readCustomer(customer: Fields): PlatformCustomer {
  const address = customer.maybeAt('defaultAddress')
  return {
    id: customer.id('id'),
    email: readEmail(customer),
    firstName: customer.maybeText('firstName'),
    lastName: customer.maybeText('lastName'),
    countryCode: address?.maybeText('countryCodeV2') ?? null,
    provinceCode: address?.maybeText('provinceCode') ?? null,
    createdAt: customer.instant('createdAt'),
    updatedAt: customer.instant('updatedAt')
  }
}

export function readEmail(customer: Fields): string | null {
  return customer.maybeAt('defaultEmailAddress')?.maybeText('emailAddress') ?? null
}
