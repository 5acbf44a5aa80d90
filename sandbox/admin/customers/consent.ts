import { GraphQLError } from 'graphql'
import { changeConsentOf } from '../../customers/change-consent.ts'
import type { Consent, Customer, CustomerMore } from '../../state/customers.ts'
import type { Api } from '../../wire/api.ts'
import { numberIn } from '../../wire/gid.ts'
import { type UserError, userError } from '../user-errors.ts'

export type Channel = 'email' | 'sms' | 'whatsApp'
type EmailOrSms = { marketingState: string; marketingOptInLevel?: string | null; consentUpdatedAt?: unknown }
type WhatsApp = { state: string; optInLevel?: string | null; updatedAt?: unknown }
export type ConsentInput = EmailOrSms | WhatsApp

export const CHANNEL_FIELDS = {
  email: 'emailMarketingConsent',
  sms: 'smsMarketingConsent',
  whatsApp: 'whatsAppMarketingConsent'
} as const
const NEEDS: Record<Channel, string> = {
  email: 'An email address is required to set the email marketing consent state.',
  sms: 'A phone number is required to set the SMS consent state.',
  whatsApp: 'A phone number is required to set the WhatsApp consent state.'
}

/** A consent as it is kept. Nobody can ask for the state of somebody whose data are erased. */
export function consentFrom(input: ConsentInput, now: Temporal.Instant): Consent {
  const state = 'marketingState' in input ? input.marketingState : input.state
  const optInLevel = ('marketingState' in input ? input.marketingOptInLevel : input.optInLevel) ?? null
  const at = 'marketingState' in input ? input.consentUpdatedAt : input.updatedAt
  if (state === 'REDACTED') {
    throw new GraphQLError('Cannot specify REDACTED as a marketing state input', { extensions: { code: 'INVALID' } })
  }
  return { state, optInLevel, updatedAt: String(at ?? now) }
}

/** A consent needs what it is about: an address or a number. */
export function consentProblem(
  channel: Channel,
  has: { email?: string | null; phone?: string | null },
  at: string[]
): UserError | null {
  return (channel === 'email' ? has.email : has.phone)
    ? null
    : userError([...at, CHANNEL_FIELDS[channel]], NEEDS[channel])
}

/** The mutation that changes a consent of a customer who exists. */
export function consentMutation(channel: 'email' | 'sms') {
  const field = CHANNEL_FIELDS[channel]
  return async (_root: unknown, { input }: { input: { customerId: string } & Record<string, unknown> }, api: Api) => {
    const id = numberIn(api.shop, 'Customer', input.customerId)
    const customer = await api.load.customer.get(id)
    if (!customer) {
      const missing = 'Customer not found'
      // As recorded: the two do not say it alike.
      const said =
        channel === 'email' ? userError(['input', 'customerId'], missing, 'INVALID') : userError(null, missing)
      return { customer: null, userErrors: [said] }
    }
    const consent = consentFrom(input[field] as ConsentInput, await api.now())
    const wrong = consentProblem(channel, customer, ['input'])
    if (wrong) return { customer: null, userErrors: [{ ...wrong, code: 'INVALID' }] }
    await api.write((q, now) => changeConsentOf(q, api.shop, customer, channel, consent, now))
    return { customer: await api.load.customer.get(id), userErrors: [] }
  }
}

const instantOf = (consent: Consent | undefined) =>
  consent?.updatedAt ? Temporal.Instant.from(consent.updatedAt) : null

export function emailAddressOf({ email, more }: Pick<Customer, 'email'> & { more: CustomerMore }) {
  if (!email) return null
  return {
    emailAddress: email,
    marketingState: more.email?.state ?? 'NOT_SUBSCRIBED',
    marketingOptInLevel: more.email ? more.email.optInLevel : 'SINGLE_OPT_IN',
    marketingUpdatedAt: instantOf(more.email),
    validFormat: true
  }
}

export function phoneNumberOf({ phone, more }: Pick<Customer, 'phone'> & { more: CustomerMore }) {
  if (!phone) return null
  return {
    phoneNumber: phone,
    marketingState: more.sms?.state ?? 'NOT_SUBSCRIBED',
    marketingOptInLevel: more.sms?.optInLevel ?? 'SINGLE_OPT_IN',
    marketingUpdatedAt: instantOf(more.sms),
    marketingCollectedFrom: more.sms ? 'OTHER' : null
  }
}

/** The same in the fields that older clients read. */
export const olderEmailConsent = (customer: Customer) => {
  const found = emailAddressOf(customer)
  return found && { ...found, consentUpdatedAt: found.marketingUpdatedAt }
}
export const olderSmsConsent = (customer: Customer) => {
  const found = phoneNumberOf(customer)
  return (
    found && {
      ...found,
      consentUpdatedAt: found.marketingUpdatedAt,
      consentCollectedFrom: found.marketingCollectedFrom
    }
  )
}
