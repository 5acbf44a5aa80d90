import { decimalOf } from '#kit/money'
import { mapBounded } from './bounded.ts'
import { byIds } from './by-ids.ts'
import type { PlatformClient } from './client.ts'
import { ContractCreate, ContractKeysOfCustomer } from './contract-documents.ts'
import { CustomerCards, CustomersByEmail } from './documents.ts'
import type { Fields } from './fields.ts'
import { type PlatformResult, succeeded } from './outcome.ts'
import { readListed } from './pages.ts'
import { VariantsByIds } from './plan-documents.ts'
import { gid, type ProfileName } from './profiles.ts'
import { attribute, GIFT_ATTRIBUTE, KEY_ATTRIBUTE } from './read-answers.ts'
import type { ContractRequest, Listed } from './shapes.ts'

const AT_ONCE = 4

/** Each contract by itself; the value is its id. After an unknown outcome `contractByKey` tells whether it was made. */
export function createContracts(
  client: PlatformClient,
  profile: ProfileName,
  requests: ContractRequest[]
): Promise<PlatformResult<string>[]> {
  return mapBounded(requests, AT_ONCE, (request) =>
    client.mutate(ContractCreate, { input: inputOf(profile, request) }, (payload) => payload.at('contract').id('id'))
  )
}

function inputOf(profile: ProfileName, request: ContractRequest) {
  const { interval, intervalCount, maxCycles, giftReceiverId } = request
  const rhythm = { interval: interval.toUpperCase(), intervalCount }
  return {
    customerId: gid(profile, 'Customer', request.customerId),
    currencyCode: request.currency,
    nextBillingDate: request.nextBillingAt.toString(),
    contract: {
      status: request.status.toUpperCase(),
      billingPolicy: { ...rhythm, ...(maxCycles === null ? {} : { maxCycles }) },
      deliveryPolicy: rhythm,
      deliveryPrice: '0',
      paymentMethodId: request.paymentMethodId,
      customAttributes: [
        { key: KEY_ATTRIBUTE, value: request.key },
        ...(giftReceiverId ? [{ key: GIFT_ATTRIBUTE, value: gid(profile, 'Customer', giftReceiverId) }] : [])
      ]
    },
    lines: [
      {
        line: {
          productVariantId: gid(profile, 'ProductVariant', request.variantId),
          quantity: request.quantity ?? 1,
          currentPrice: decimalOf(request.priceMinor, request.currency),
          ...(request.sellingPlan && {
            sellingPlanId: gid(profile, 'SellingPlan', request.sellingPlan.id),
            sellingPlanName: request.sellingPlan.name
          })
        }
      }
    ]
  }
}

type Keyed = { id: string; key: string | null }

/** The customer's contract that was made under the key; null when there is none. The newest are looked at first. */
export async function fetchContractByKey(
  client: PlatformClient,
  profile: ProfileName,
  customerId: string,
  key: string
): Promise<PlatformResult<string | null>> {
  let after: string | null = null
  do {
    const answer: PlatformResult<Listed<Keyed> | null> = await client.query(
      ContractKeysOfCustomer,
      { id: gid(profile, 'Customer', customerId), after },
      (data) => {
        const customer = data.maybeAt('customer')
        return customer && readListed(customer.at('subscriptionContracts'), readKeyed)
      }
    )
    if (!answer.ok) return answer
    const found = answer.value?.items.find((contract) => contract.key === key)
    if (found) return succeeded(found.id)
    after = answer.value?.after ?? null
  } while (after)
  return succeeded(null)
}

function readKeyed(contract: Fields): Keyed {
  return { id: contract.id('id'), key: attribute(contract, KEY_ATTRIBUTE) }
}

type Cards = { id: string; usable: string[] }

/** By customer, the global ids of payment methods that can be charged; customers that the platform does not have are left out. */
export async function fetchCards(
  client: PlatformClient,
  profile: ProfileName,
  customerIds: string[]
): Promise<PlatformResult<Map<string, string[]>>> {
  const found = await byIds(client, profile, 'Customer', CustomerCards, customerIds, (customer): Cards => {
    const methods = customer.at('paymentMethods').list('nodes')
    return {
      id: customer.id('id'),
      usable: methods.filter((method) => !method.has('revokedAt')).map((method) => method.text('id'))
    }
  })
  return found.ok ? succeeded(new Map([...found.value.values()].map(({ id, usable }) => [id, usable]))) : found
}

/** By variant, the product that it is one of; variants that the platform does not have are left out. */
export async function fetchProductsOfVariants(
  client: PlatformClient,
  profile: ProfileName,
  variantIds: string[]
): Promise<PlatformResult<Map<string, string>>> {
  const found = await byIds(client, profile, 'ProductVariant', VariantsByIds, variantIds, (variant) => ({
    id: variant.id('id'),
    productId: variant.at('product').id('id')
  }))
  return found.ok ? succeeded(new Map([...found.value.values()].map(({ id, productId }) => [id, productId]))) : found
}

/** By address, the ids of the customers that have it. The platform's search finds more than what is meant. */
export async function fetchCustomersByEmail(
  client: PlatformClient,
  emails: string[]
): Promise<PlatformResult<Map<string, string[]>>> {
  const answers = await mapBounded(emails, AT_ONCE, (email) =>
    client.query(CustomersByEmail, { query: `email:"${email.replace(/["\\]/g, '\\$&')}"` }, (data) =>
      data
        .at('customers')
        .list('nodes')
        .filter((node) => isSameAddress(node.maybeAt('defaultEmailAddress')?.maybeText('emailAddress'), email))
        .map((node) => node.id('id'))
    )
  )
  const found = new Map<string, string[]>()
  for (const [i, answer] of answers.entries()) {
    if (!answer.ok) return answer
    found.set(emails[i]!, answer.value)
  }
  return succeeded(found)
}

const isSameAddress = (a: string | null | undefined, b: string) => a?.toLowerCase() === b.toLowerCase()
