import { randomBytes } from 'node:crypto'
import { sql } from '#kit/postgres'
import { customerPayload } from '../outgoing/customer-payloads.ts'
import { customerTagMessages } from '../outgoing/customer-tag-messages.ts'
import { queueWebhooks, webhookMessage } from '../outgoing/queue-webhooks.ts'
import {
  type Customer,
  displayNameOf,
  findCustomer,
  findCustomerByEmail,
  findCustomerByPhone,
  insertCustomer,
  updateCustomer
} from '../state/customers.ts'
import type { PaymentMethod } from '../state/payment-methods.ts'
import type { Api, Resolvers } from '../wire/api.ts'
import { type PageArgs, pageOf } from '../wire/connections.ts'
import { numberIn, parseGid } from '../wire/gid.ts'
import { moneyV2 } from '../wire/money.ts'
import { listing } from '../wire/pages.ts'
import { normalTags } from './tag-list.ts'
import { type UserError, userError } from './user-errors.ts'

const pageOfCustomers = listing({
  table: 'sandbox.customers',
  sorts: { CREATED_AT: 'created_at', UPDATED_AT: 'updated_at', NAME: 'last_name' },
  where: `($6::jsonb->>'email_eq' is null or lower(email) = lower($6::jsonb->>'email_eq'))
               and ($6::jsonb->>'tag_eq' is null
                    or exists (select from unnest(tags) tag where lower(tag) = lower($6::jsonb->>'tag_eq')))
               and ($6::jsonb->>'text' is null
                    or position(lower($6::jsonb->>'text') in lower(concat_ws(' ', first_name, last_name, email))) > 0)`
})

type CustomerInput = {
  id?: string | null
  email?: string | null
  firstName?: string | null
  lastName?: string | null
  phone?: string | null
  note?: string | null
  tags?: string[] | null
  addresses?: { countryCode?: string | null; provinceCode?: string | null }[] | null
}

function problemsOf(input: CustomerInput): UserError[] {
  if (input.email && !/^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(input.email)) return [userError(['email'], 'Email is invalid')]
  if (!input.email && !input.firstName && !input.lastName && !input.phone && !input.id) {
    return [userError(null, 'A name, phone number, or email address must be present')]
  }
  return []
}

async function create(_root: unknown, { input }: { input: CustomerInput }, api: Api) {
  const problems = problemsOf(input)
  if (problems.length > 0) return { customer: null, userErrors: problems }
  const created = await api.write(async (q, now) => {
    const customer = await insertCustomer(
      q,
      api.shop.storeId,
      {
        id: null,
        email: input.email ?? null,
        firstName: input.firstName ?? null,
        lastName: input.lastName ?? null,
        phone: input.phone ?? null,
        country: input.addresses?.[0]?.countryCode ?? null,
        province: input.addresses?.[0]?.provinceCode ?? null,
        note: input.note ?? null,
        tags: normalTags(input.tags ?? [])
      },
      now
    )
    if (!customer) return null
    await queueWebhooks(
      q,
      api.shop,
      webhookMessage([{ topic: 'customers/create', payload: customerPayload(api.shop, customer) }]),
      now
    )
    return customer
  })
  if (!created) return { customer: null, userErrors: [userError(['email'], 'Email has already been taken')] }
  return { customer: created, userErrors: [] }
}

async function update(_root: unknown, { input }: { input: CustomerInput }, api: Api) {
  const problems = problemsOf(input)
  if (problems.length > 0) return { customer: null, userErrors: problems }
  const id = input.id ? numberIn(api.shop, 'Customer', input.id) : null
  const customer = id && (await api.load.customer.get(id))
  if (!customer) return { customer: null, userErrors: [userError(['id'], 'Customer does not exist')] }
  const taken = input.email ? await findCustomerByEmail(api.db.direct, api.shop.storeId, input.email) : null
  if (taken && taken.id !== customer.id) {
    return { customer: null, userErrors: [userError(['email'], 'Email has already been taken')] }
  }
  await api.write(async (q, now) => {
    // Fields that are not given stay as they are now, tags that are added at the same time too.
    await q.run(
      sql`select from sandbox.customers where store_id = ${api.shop.storeId} and id = ${customer.id} for update`
    )
    const old = (await findCustomer(q, api.shop.storeId, customer.id)) ?? customer
    const pick = <T>(given: T | undefined, old: T): T => (given === undefined ? old : given)
    const to = {
      email: pick(input.email, old.email),
      firstName: pick(input.firstName, old.firstName),
      lastName: pick(input.lastName, old.lastName),
      phone: pick(input.phone, old.phone),
      note: pick(input.note, old.note),
      tags: input.tags ? normalTags(input.tags) : old.tags
    }
    await updateCustomer(q, api.shop.storeId, customer.id, to, now)
    const payload = customerPayload(api.shop, { ...old, ...to, updatedAt: now })
    const messages = [
      { topic: 'customers/update' as const, payload },
      ...customerTagMessages(api.shop, old, to.tags, now)
    ]
    await queueWebhooks(q, api.shop, webhookMessage(messages), now)
  })
  return { customer: await api.load.customer.get(customer.id), userErrors: [] }
}

type Identifier = { id?: string; emailAddress?: string; phoneNumber?: string }

function byIdentifier(_root: unknown, { identifier }: { identifier: Identifier }, api: Api) {
  if (identifier.id) return api.load.customer.get(numberIn(api.shop, 'Customer', identifier.id))
  const { direct } = api.db
  if (identifier.emailAddress) return findCustomerByEmail(direct, api.shop.storeId, identifier.emailAddress)
  if (identifier.phoneNumber) return findCustomerByPhone(direct, api.shop.storeId, identifier.phoneNumber)
  return null
}

async function sendUpdateEmail(_root: unknown, args: { customerPaymentMethodId: string }, api: Api) {
  const parsed = parseGid(api.shop, args.customerPaymentMethodId)
  const method = parsed?.type === 'CustomerPaymentMethod' ? await api.load.paymentMethod.get(parsed.id) : null
  if (!method || method.revokedAt) {
    return {
      customer: null,
      userErrors: [userError(['customerPaymentMethodId'], 'Customer payment method does not exist')]
    }
  }
  // The sandbox sends no e-mail: a test customer changes the card on the storefront page.
  return { customer: await api.load.customer.get(method.customerId), userErrors: [] }
}

function presentAddress(customer: Customer) {
  if (!customer.country) return null
  return {
    __typename: 'MailingAddress',
    id: customer.id,
    country: customer.country,
    countryCodeV2: customer.country,
    province: customer.province,
    provinceCode: customer.province
  }
}

function presentCard(method: PaymentMethod) {
  return {
    __typename: 'CustomerCreditCard',
    brand: method.brand,
    lastDigits: method.lastDigits,
    firstDigits: '424242',
    maskedNumber: `•••• •••• •••• ${method.lastDigits}`,
    name: method.holder,
    expiryMonth: method.expiryMonth,
    expiryYear: method.expiryYear,
    expiresSoon: false,
    source: null
  }
}

export const customerResolvers: Resolvers = {
  QueryRoot: {
    customer: (_root: unknown, { id }: { id: string }, api: Api) =>
      api.load.customer.get(numberIn(api.shop, 'Customer', id)),
    customerByIdentifier: byIdentifier,
    customers: (_root: unknown, args: PageArgs & { sortKey?: string; query?: string }, api: Api) =>
      pageOfCustomers(api.db.direct, api.shop.storeId, args, (ids) => api.load.customer.list(ids)),
    customerPaymentMethod: async (_root: unknown, args: { id: string; showRevoked?: boolean }, api: Api) => {
      const parsed = parseGid(api.shop, args.id)
      const method = parsed?.type === 'CustomerPaymentMethod' ? await api.load.paymentMethod.get(parsed.id) : null
      return method?.revokedAt && !args.showRevoked ? null : method
    }
  },
  Mutation: {
    customerCreate: create,
    customerUpdate: update,
    customerPaymentMethodSendUpdateEmail: sendUpdateEmail
  },
  Customer: {
    displayName: (customer: Customer) => displayNameOf(customer),
    defaultEmailAddress: ({ email }: Customer) => email && { emailAddress: email, marketingState: 'NOT_SUBSCRIBED' },
    defaultPhoneNumber: ({ phone }: Customer) => phone && { phoneNumber: phone },
    defaultAddress: presentAddress,
    state: () => 'DISABLED',
    locale: () => 'en',
    verifiedEmail: () => true,
    numberOfOrders: ({ ordersCount }: Customer) => ordersCount,
    amountSpent: ({ spentMinor }: Customer, _args: unknown, { shop }: Api) => moneyV2(spentMinor, shop.currency),
    paymentMethods: async ({ id }: Customer, args: PageArgs & { showRevoked?: boolean }, api: Api) => {
      const methods = (await api.load.paymentMethodsOf.get(id)) ?? []
      return pageOf(
        methods.filter((method) => args.showRevoked || !method.revokedAt),
        args
      )
    },
    subscriptionContracts: async ({ id }: Customer, args: PageArgs, api: Api) =>
      pageOf((await api.load.contractsOf.get(id)) ?? [], args)
  },
  CustomerPaymentMethod: {
    instrument: presentCard,
    customer: ({ customerId }: PaymentMethod, _args: unknown, api: Api) => api.load.customer.get(customerId)
  }
}

/** A token in the format of the platform's vault. */
export function paymentToken(): string {
  return randomBytes(16).toString('hex')
}
