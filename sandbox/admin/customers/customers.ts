import { randomBytes } from 'node:crypto'
import { changeAccountOf } from '../../customers/change-account.ts'
import { deleteCustomerOf } from '../../customers/delete-customer.ts'
import { paymentMethodPayload } from '../../outgoing/customer-payloads.ts'
import { queueWebhooks, webhookMessage } from '../../outgoing/queue-webhooks.ts'
import {
  type Customer,
  countCustomers,
  displayNameOf,
  findCustomerByEmail,
  findCustomerByPhone
} from '../../state/customers.ts'
import { type PaymentMethod, revokeMethod } from '../../state/payment-methods.ts'
import type { Api, Resolvers } from '../../wire/api.ts'
import { type PageArgs, pageOf } from '../../wire/connections.ts'
import { numberIn, parseGid } from '../../wire/gid.ts'
import { moneyV2 } from '../../wire/money.ts'
import { listing } from '../../wire/pages.ts'
import { userError } from '../user-errors.ts'
import { createAddress, deleteAddress, setDefaultAddress, updateAddress } from './addresses.ts'
import { consentMutation, emailAddressOf, olderEmailConsent, olderSmsConsent, phoneNumberOf } from './consent.ts'
import { mergeCustomers, mergeStatus } from './merge.ts'
import { normalPhone } from './phone.ts'
import { defaultAddressOf, presentAddress } from './present-address.ts'
import { erasureMutation, optOutOfSale } from './privacy.ts'
import { changeCustomer, createCustomer, setCustomer } from './save-customer.ts'

const pageOfCustomers = listing({
  table: 'sandbox.customers',
  sorts: { CREATED_AT: 'created_at', UPDATED_AT: 'updated_at', NAME: 'last_name' },
  where: `($6::jsonb->>'email_eq' is null or lower(email) = lower($6::jsonb->>'email_eq'))
               and ($6::jsonb->>'tag_eq' is null
                    or exists (select from unnest(tags) tag where lower(tag) = lower($6::jsonb->>'tag_eq')))
               and ($6::jsonb->>'text' is null
                    or position(lower($6::jsonb->>'text') in lower(concat_ws(' ', first_name, last_name, email))) > 0)`
})

type Identifier = { id?: string; emailAddress?: string; phoneNumber?: string }

function byIdentifier(_root: unknown, { identifier }: { identifier: Identifier }, api: Api) {
  if (identifier.id) return api.load.customer.get(numberIn(api.shop, 'Customer', identifier.id))
  const { direct } = api.db
  if (identifier.emailAddress) return findCustomerByEmail(direct, api.shop.storeId, identifier.emailAddress)
  if (identifier.phoneNumber) {
    return findCustomerByPhone(direct, api.shop.storeId, normalPhone(identifier.phoneNumber) ?? identifier.phoneNumber)
  }
  return null
}

async function methodOf(api: Api, id: string): Promise<PaymentMethod | null> {
  const parsed = parseGid(api.shop, id)
  const method = parsed?.type === 'CustomerPaymentMethod' ? await api.load.paymentMethod.get(parsed.id) : null
  return method?.revokedAt ? null : method
}
const noMethod = () =>
  userError(['customerPaymentMethodId'], 'Customer payment method does not exist', 'PAYMENT_METHOD_DOES_NOT_EXIST')

async function sendUpdateEmail(_root: unknown, args: { customerPaymentMethodId: string }, api: Api) {
  const method = await methodOf(api, args.customerPaymentMethodId)
  // The sandbox sends no e-mail: a test customer changes the card on the storefront page.
  if (!method) return { customer: null, userErrors: [noMethod()] }
  return { customer: await api.load.customer.get(method.customerId), userErrors: [] }
}

/** Where a customer changes the card: on the storefront page, after a login. */
async function updateUrl(_root: unknown, args: { customerPaymentMethodId: string }, api: Api) {
  const method = await methodOf(api, args.customerPaymentMethodId)
  if (!method) return { updatePaymentMethodUrl: null, userErrors: [noMethod()] }
  return { updatePaymentMethodUrl: `${api.baseUrl}/?card=${method.id}`, userErrors: [] }
}

async function revoke(_root: unknown, args: { customerPaymentMethodId: string }, api: Api) {
  const method = await methodOf(api, args.customerPaymentMethodId)
  if (!method) return { revokedCustomerPaymentMethodId: null, userErrors: [noMethod()] }
  await api.write(async (q, now) => {
    const revoked = await revokeMethod(q, api.shop.storeId, method.id, 'MANUALLY_REVOKED', now)
    if (!revoked) return
    const payload = paymentMethodPayload(api.shop, revoked)
    await queueWebhooks(q, api.shop, webhookMessage([{ topic: 'customer_payment_methods/revoke', payload }]), now)
  })
  return { revokedCustomerPaymentMethodId: args.customerPaymentMethodId, userErrors: [] }
}

async function remove(_root: unknown, { input }: { input: { id: string } }, api: Api) {
  const shop = { __typename: 'Shop', id: api.shop.id }
  const refused = (message: string) => ({ deletedCustomerId: null, shop, userErrors: [userError(['id'], message)] })
  const customer = await api.load.customer.get(numberIn(api.shop, 'Customer', input.id))
  if (!customer) return refused("Customer can't be found")
  if (customer.ordersCount > 0) return refused('Customer can’t be deleted because they have associated orders')
  await api.write((q, now) => deleteCustomerOf(q, api.shop, customer.id, now))
  return { deletedCustomerId: input.id, shop, userErrors: [] }
}

/** Invites to an account. The storefront needs no password, so that no mail is sent; who has an account keeps it. */
async function invite(_root: unknown, args: { customerId: string }, api: Api) {
  const id = numberIn(api.shop, 'Customer', args.customerId)
  const customer = await api.load.customer.get(id)
  if (!customer) return { customer: null, userErrors: [userError(['customerId'], "Customer can't be found")] }
  if (customer.more.accountState !== 'enabled') {
    await api.write((q, now) => changeAccountOf(q, api.shop, customer, 'invited', now))
  }
  return { customer: await api.load.customer.get(id), userErrors: [] }
}

async function activationUrl(_root: unknown, args: { customerId: string }, api: Api) {
  const customer = await api.load.customer.get(numberIn(api.shop, 'Customer', args.customerId))
  return customer
    ? { accountActivationUrl: `${api.baseUrl}/?activate=${customer.id}`, userErrors: [] }
    : { accountActivationUrl: null, userErrors: [userError(['customerId'], "The customer can't be found.")] }
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
    customerMergeJobStatus: mergeStatus,
    customersCount: async (_root: unknown, _args: unknown, api: Api) => ({
      count: await countCustomers(api.db.direct, api.shop.storeId),
      precision: 'EXACT'
    }),
    customers: (_root: unknown, args: PageArgs & { sortKey?: string; query?: string }, api: Api) =>
      pageOfCustomers(api.db.direct, api.shop.storeId, args, (ids) => api.load.customer.list(ids)),
    customerPaymentMethod: async (_root: unknown, args: { id: string; showRevoked?: boolean }, api: Api) => {
      const parsed = parseGid(api.shop, args.id)
      const method = parsed?.type === 'CustomerPaymentMethod' ? await api.load.paymentMethod.get(parsed.id) : null
      return method?.revokedAt && !args.showRevoked ? null : method
    }
  },
  Mutation: {
    customerCreate: createCustomer,
    customerUpdate: changeCustomer,
    customerSet: setCustomer,
    customerDelete: remove,
    customerMerge: mergeCustomers,
    customerAddressCreate: createAddress,
    customerAddressUpdate: updateAddress,
    customerAddressDelete: deleteAddress,
    customerUpdateDefaultAddress: setDefaultAddress,
    customerEmailMarketingConsentUpdate: consentMutation('email'),
    customerSmsMarketingConsentUpdate: consentMutation('sms'),
    customerRequestDataErasure: erasureMutation(true),
    customerCancelDataErasure: erasureMutation(false),
    customerSendAccountInviteEmail: invite,
    customerGenerateAccountActivationUrl: activationUrl,
    customerPaymentMethodSendUpdateEmail: sendUpdateEmail,
    customerPaymentMethodGetUpdateUrl: updateUrl,
    customerPaymentMethodRevoke: revoke,
    dataSaleOptOut: optOutOfSale
  },
  Customer: {
    displayName: (customer: Customer) => displayNameOf(customer),
    defaultEmailAddress: emailAddressOf,
    defaultPhoneNumber: phoneNumberOf,
    emailMarketingConsent: olderEmailConsent,
    smsMarketingConsent: olderSmsConsent,
    defaultAddress: async (customer: Customer, _args: unknown, api: Api) =>
      defaultAddressOf(customer, (await api.load.addressesOf.get(customer.id)) ?? []),
    addresses: async ({ id }: Customer, { first }: { first?: number | null }, api: Api) =>
      ((await api.load.addressesOf.get(id)) ?? [])
        .slice(0, first ?? 250)
        .map((one) => presentAddress(one.id, one.body)),
    addressesV2: async ({ id }: Customer, args: PageArgs, api: Api) => {
      const page = pageOf((await api.load.addressesOf.get(id)) ?? [], args)
      const present = (one: (typeof page.nodes)[number]) => presentAddress(one.id, one.body)
      return {
        ...page,
        nodes: page.nodes.map(present),
        edges: page.edges.map(({ node, cursor }) => ({ cursor, node: present(node) }))
      }
    },
    state: ({ more }: Customer) => (more.accountState ?? 'disabled').toUpperCase(),
    locale: ({ more }: Customer) => more.locale ?? 'en',
    taxExempt: ({ more }: Customer) => more.taxExempt ?? false,
    taxExemptions: ({ more }: Customer) => more.taxExemptions ?? [],
    dataSaleOptOut: ({ more }: Customer) => more.saleOptOut ?? false,
    canDelete: ({ ordersCount }: Customer) => ordersCount === 0,
    verifiedEmail: () => true,
    validEmailAddress: ({ email }: Customer) => Boolean(email),
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
