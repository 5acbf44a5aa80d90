import { type Queries, sql } from '#kit/postgres'
import { consentMessage } from '../../outgoing/consent-payloads.ts'
import { customerPayload } from '../../outgoing/customer-payloads.ts'
import { customerTagMessages } from '../../outgoing/customer-tag-messages.ts'
import { queueWebhooks, webhookMessage } from '../../outgoing/queue-webhooks.ts'
import {
  deleteCustomerAddresses,
  insertCustomerAddress,
  keepCountry,
  listCustomerAddresses
} from '../../state/customer-addresses.ts'
import {
  type Customer,
  type CustomerChange,
  findCustomer,
  findCustomerByEmail,
  findCustomerByPhone,
  insertCustomer,
  updateCustomer
} from '../../state/customers.ts'
import type { Api } from '../../wire/api.ts'
import { numberIn } from '../../wire/gid.ts'
import { checkMetafields, type MetafieldInput, writeMetafields } from '../metafields/write-metafields.ts'
import { normalTags } from '../tag-list.ts'
import { type UserError, userError } from '../user-errors.ts'
import { type AddressInput, addressProblems, isBlank, linesFrom } from './address-input.ts'
import { CHANNEL_FIELDS, type Channel, type ConsentInput, consentFrom, consentProblem } from './consent.ts'
import { normalPhone, phoneProblems } from './phone.ts'

export type CustomerInput = {
  id?: string | null
  email?: string | null
  firstName?: string | null
  lastName?: string | null
  phone?: string | null
  note?: string | null
  locale?: string | null
  tags?: string[] | null
  taxExempt?: boolean | null
  taxExemptions?: string[] | null
  addresses?: AddressInput[] | null
  metafields?: MetafieldInput[] | null
  emailMarketingConsent?: ConsentInput | null
  smsMarketingConsent?: ConsentInput | null
  whatsAppMarketingConsent?: ConsentInput | null
}

const MAX_NOTE = 5000
const MAX_TAGS = 250
const IDENTITY = 'A name, phone number, or email address must be present'
const CHANNELS: Channel[] = ['email', 'sms', 'whatsApp']

/** Spaces in an address are taken out, as recorded. */
export const normalEmail = (email: string | null | undefined): string | null => email?.replaceAll(/\s/g, '') || null

/** The fields of a customer after a change; those that are not given stay. */
function changeFrom(input: CustomerInput, old: Customer | null, now: Temporal.Instant): CustomerChange {
  const pick = <T>(given: T | undefined, before: T | undefined): T | null =>
    given === undefined ? (before ?? null) : given
  const consents = CHANNELS.flatMap((channel) => {
    const given = input[CHANNEL_FIELDS[channel]]
    return given ? [[channel, consentFrom(given, now)]] : []
  })
  return {
    email: input.email === undefined ? (old?.email ?? null) : normalEmail(input.email),
    firstName: pick(input.firstName, old?.firstName) || null,
    lastName: pick(input.lastName, old?.lastName) || null,
    phone: input.phone === undefined ? (old?.phone ?? null) : input.phone ? normalPhone(input.phone) : null,
    note: pick(input.note, old?.note),
    tags: input.tags ? normalTags(input.tags) : (old?.tags ?? []),
    more: {
      ...old?.more,
      ...(input.locale && { locale: input.locale }),
      ...(input.taxExempt != null && { taxExempt: input.taxExempt }),
      ...(input.taxExemptions && { taxExemptions: input.taxExemptions }),
      ...Object.fromEntries(consents)
    }
  }
}

/** Everything that is wrong with what a customer would be. */
async function problemsOf(
  q: Queries,
  api: Api,
  input: CustomerInput,
  to: CustomerChange,
  old: Customer | null,
  at: string[]
) {
  const problems: UserError[] = []
  const email = normalEmail(input.email)
  const emailAt = [...at, 'email']
  if (email && !/^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(email)) problems.push(userError(emailAt, 'Email is invalid'))
  else if (email) {
    const taken = await findCustomerByEmail(q, api.shop.storeId, email)
    if (taken && taken.id !== old?.id) problems.push(userError(emailAt, 'Email has already been taken'))
  }
  if (input.phone) {
    const phoneAt = [...at, 'phone']
    const wrong = phoneProblems(input.phone, phoneAt)
    const taken = wrong.length === 0 && to.phone ? await findCustomerByPhone(q, api.shop.storeId, to.phone) : null
    if (taken && taken.id !== old?.id) wrong.push(userError(phoneAt, 'Phone has already been taken'))
    problems.push(...wrong)
  }
  if (to.note && to.note.length > MAX_NOTE) {
    problems.push(userError([...at, 'note'], `Note is too long (maximum is ${MAX_NOTE} characters)`))
  }
  if (to.tags.length > MAX_TAGS) problems.push(userError([...at, 'tags'], `Tags cannot be more than ${MAX_TAGS}`))
  for (const [i, address] of (input.addresses ?? []).entries()) {
    const place = [...at, 'addresses', String(i)]
    problems.push(...addressProblems(address, place))
    if (at.length === 0 && isBlank(address)) problems.push(userError(place, 'Customer address cannot be blank.'))
  }
  const isNobody = !to.email && !to.phone && !to.firstName && !to.lastName && !input.phone
  if (problems.length === 0 && isNobody && !hasConsent(input)) problems.push(userError(null, IDENTITY))
  return problems
}

const hasConsent = (input: CustomerInput) => CHANNELS.some((channel) => input[CHANNEL_FIELDS[channel]])

type Saved = { customer: Customer | null; userErrors: UserError[] }
const refused = (...userErrors: UserError[]): Saved => ({ customer: null, userErrors })

/** Creates a customer, or changes one. `at` is where the input is in the mutation's arguments. */
async function save(
  q: Queries,
  api: Api,
  input: CustomerInput,
  old: Customer | null,
  at: string[],
  now: Temporal.Instant
): Promise<Saved> {
  const { storeId } = api.shop
  const to = changeFrom(input, old, now)
  const problems = await problemsOf(q, api, input, to, old, at)
  for (const channel of CHANNELS) {
    const wrong = input[CHANNEL_FIELDS[channel]] ? consentProblem(channel, to, at) : null
    if (wrong && problems.length === 0) problems.push(wrong)
  }
  const metafields = (input.metafields ?? []).map((one) => ({ owner: `Customer/${old?.id ?? '0'}`, input: one }))
  const checked = await checkMetafields(q, api, metafields, (i, field) => [
    ...at,
    'metafields',
    String(i),
    ...(field ? [field] : [])
  ])
  problems.push(...checked.problems)
  if (problems.length > 0) return refused(...problems)

  const place = input.addresses?.[0]
  const unknown = { country: place?.countryCode ?? null, province: place?.provinceCode ?? null }
  const id = old?.id ?? (await insertCustomer(q, storeId, { id: null, ...to, ...unknown }, now))?.id
  // Somebody else has just taken the address.
  if (!id) return refused(userError([...at, 'email'], 'Email has already been taken'))
  if (old) await updateCustomer(q, storeId, id, to, now)
  if (input.addresses) {
    const gone = (await listCustomerAddresses(q, storeId, [id])).map((address) => address.id)
    if (old) await deleteCustomerAddresses(q, storeId, id, gone)
    for (const address of input.addresses) await insertCustomerAddress(q, storeId, id, linesFrom(address, null, to))
    await keepCountry(q, storeId, id)
  }
  const entries = checked.entries.map((entry) => ({ ...entry, ownerId: id }))
  if (entries.length > 0) await writeMetafields(q, api, entries, now)
  const customer = (await findCustomer(q, storeId, id))!
  const payload = customerPayload(api.shop, customer)
  const messages = old
    ? [{ topic: 'customers/update' as const, payload }, ...customerTagMessages(api.shop, old, to.tags, now)]
    : [{ topic: 'customers/create' as const, payload }]
  const consents = (['email', 'sms'] as const).filter((channel) => input[CHANNEL_FIELDS[channel]])
  const all = [...messages, ...consents.map((channel) => consentMessage(api.shop, customer, channel))]
  await queueWebhooks(q, api.shop, webhookMessage(all), now)
  return { customer, userErrors: [] }
}

export async function createCustomer(_root: unknown, { input }: { input: CustomerInput }, api: Api) {
  if (input.id) return refused(userError(['id'], 'Cannot specify ID on creation'))
  return api.write((q, now) => save(q, api, input, null, [], now))
}

/** The customer, locked: what is added at the same time is kept. */
async function lockCustomer(q: Queries, api: Api, id: string): Promise<Customer | null> {
  await q.run(sql`select from sandbox.customers where store_id = ${api.shop.storeId} and id = ${id} for update`)
  return findCustomer(q, api.shop.storeId, id)
}

export async function changeCustomer(_root: unknown, { input }: { input: CustomerInput }, api: Api) {
  for (const channel of CHANNELS) {
    const field = CHANNEL_FIELDS[channel]
    if (!input[field]) continue
    const other = `customer${field[0]!.toUpperCase()}${field.slice(1)}Update`
    return refused(userError([field], `To update ${field}, please use the ${other} Mutation instead`))
  }
  const id = input.id ? numberIn(api.shop, 'Customer', input.id) : null
  return api.write(async (q, now) => {
    const old = id && (await lockCustomer(q, api, id))
    if (!old) return refused(userError(['id'], 'Customer does not exist'))
    return save(q, api, input, old, [], now)
  })
}

type Identifiers = { id?: string | null; email?: string | null; phone?: string | null }

/** Creates or changes the customer that an identifier names. */
export async function setCustomer(
  _root: unknown,
  { input, identifier }: { input: CustomerInput; identifier?: Identifiers | null },
  api: Api
) {
  const { storeId } = api.shop
  const coded = ({ customer, userErrors }: Saved) => ({
    customer,
    userErrors: userErrors.map((one) => ({ ...one, code: one.code ?? 'INVALID' }))
  })
  const id = identifier?.id ?? input.id
  return api.write(async (q, now) => {
    let old: Customer | null = null
    if (id) {
      old = await lockCustomer(q, api, numberIn(api.shop, 'Customer', id))
      if (!old) return refused(userError(['input'], 'Resource matching the identifier was not found.', 'NOT_FOUND'))
    } else if (identifier?.phone) {
      old = await findCustomerByPhone(q, storeId, normalPhone(identifier.phone) ?? identifier.phone)
    } else if (identifier?.email ?? input.email) {
      old = await findCustomerByEmail(q, storeId, (identifier?.email ?? input.email)!)
    }
    return coded(await save(q, api, input, old, ['input'], now))
  })
}
