import type { Fields } from '../wire/fields.ts'

/** The platform's words for whether somebody wants to be written to. A word that is none of them changes nothing here. */
export const CONSENT_STATES = [
  'subscribed',
  'unsubscribed',
  'pending',
  'not_subscribed',
  'redacted',
  'invalid'
] as const
export type ConsentState = (typeof CONSENT_STATES)[number]

/** `at` is the platform's time of the last change; null where there never was one, so that any that has a time is newer. */
export type Consent = { state: ConsentState; at: Temporal.Instant | null }

/** The platform's words for a customer's account in the shop. */
export const ACCOUNT_STATES = ['enabled', 'disabled', 'invited', 'declined'] as const
export type AccountState = (typeof ACCOUNT_STATES)[number]

/** The account, the consents and the tags are null where the source does not have them, or may not show them to us. */
export type PlatformCustomer = {
  id: string
  email: string | null
  firstName: string | null
  lastName: string | null
  countryCode: string | null
  provinceCode: string | null
  createdAt: Temporal.Instant | null
  updatedAt: Temporal.Instant | null
  accountState: AccountState | null
  emailConsent: Consent | null
  smsConsent: Consent | null
  tags: string[] | null
}

export const customerParts = `id firstName lastName createdAt updatedAt state tags
    defaultEmailAddress { emailAddress marketingState marketingUpdatedAt }
    defaultPhoneNumber { marketingState marketingUpdatedAt }
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
    updatedAt: customer.instant('updatedAt'),
    accountState: readAccountState(customer),
    emailConsent: consentIn(customer.maybeAt('defaultEmailAddress'), 'marketingState', 'marketingUpdatedAt'),
    smsConsent: consentIn(customer.maybeAt('defaultPhoneNumber'), 'marketingState', 'marketingUpdatedAt'),
    tags: customer.has('tags') ? customer.texts('tags') : null
  }
}

export const readAccountState = (customer: Fields): AccountState | null =>
  knownWord(customer.maybeText('state'), ACCOUNT_STATES)

/** A consent, in the fields that `state` and `at` name. */
export function consentIn(found: Fields | null, state: string, at: string): Consent | null {
  const word = knownWord(found?.maybeText(state), CONSENT_STATES)
  return word && { state: word, at: found!.maybeInstant(at) }
}

function knownWord<const T extends string>(given: string | null | undefined, words: readonly T[]): T | null {
  const lower = given?.toLowerCase()
  return words.find((word) => word === lower) ?? null
}

export function readEmail(customer: Fields): string | null {
  return customer.maybeAt('defaultEmailAddress')?.maybeText('emailAddress') ?? null
}
