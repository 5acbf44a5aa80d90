import { mapConcurrently } from '#kit/map-concurrently'
import { decimalOf } from '#kit/money'
import type { PlatformClient } from '../wire/client.ts'
import type { Fields } from '../wire/fields.ts'
import type { Interval } from '../wire/interval.ts'
import { type PlatformResult, succeeded } from '../wire/outcome.ts'
import { type Page, readPage } from '../wire/pages.ts'
import { attributeOf, GIFT_ATTRIBUTE, KEY_ATTRIBUTE } from './attributes.ts'
import { ContractCreate, ContractKeysOfCustomer } from './documents.ts'

/** A contract to create without a checkout. */
export type ContractRequest = {
  /** Stored before the call: it finds the contract again when the answer was lost. */
  key: string
  customerId: string
  status: 'active' | 'paused'
  currency: string
  interval: Interval
  intervalCount: number
  maxCycles: number | null
  nextBillingAt: Temporal.Instant
  /** The platform's global id: its last part is not a number. */
  paymentMethodId: string
  variantId: string
  /** 1 when left out. */
  quantity?: number
  /** Of one. */
  priceMinor: number
  sellingPlan: { id: string; name: string } | null
  /** The customer who receives it as a gift. */
  giftReceiverId?: string | null
}

const CREATIONS_AT_ONCE = 4

/** Creates each contract in a document of its own; the value is its id. */
export function createContracts(
  client: PlatformClient,
  requests: ContractRequest[]
): Promise<PlatformResult<string>[]> {
  return mapConcurrently(requests, CREATIONS_AT_ONCE, (request) =>
    client.mutate(ContractCreate, { input: inputOf(client, request) }, (payload) => payload.at('contract').id('id'))
  )
}

function inputOf(client: PlatformClient, request: ContractRequest) {
  const { interval, intervalCount, maxCycles, giftReceiverId } = request
  const cadence = { interval: interval.toUpperCase(), intervalCount }
  return {
    customerId: client.gid('Customer', request.customerId),
    currencyCode: request.currency,
    nextBillingDate: request.nextBillingAt.toString(),
    contract: {
      status: request.status.toUpperCase(),
      billingPolicy: { ...cadence, ...(maxCycles === null ? {} : { maxCycles }) },
      deliveryPolicy: cadence,
      deliveryPrice: '0',
      paymentMethodId: request.paymentMethodId,
      customAttributes: [
        { key: KEY_ATTRIBUTE, value: request.key },
        ...(giftReceiverId ? [{ key: GIFT_ATTRIBUTE, value: client.gid('Customer', giftReceiverId) }] : [])
      ]
    },
    lines: [
      {
        line: {
          productVariantId: client.gid('ProductVariant', request.variantId),
          quantity: request.quantity ?? 1,
          currentPrice: decimalOf(request.priceMinor, request.currency),
          ...(request.sellingPlan && {
            sellingPlanId: client.gid('SellingPlan', request.sellingPlan.id),
            sellingPlanName: request.sellingPlan.name
          })
        }
      }
    ]
  }
}

type KeyedContract = { id: string; key: string | null }

/** The id of the customer's contract that was created under the key; null when there is none. Reads the newest first. */
export async function findContractIdByKey(
  client: PlatformClient,
  customerId: string,
  key: string
): Promise<PlatformResult<string | null>> {
  let after: string | null = null
  do {
    const result: PlatformResult<Page<KeyedContract> | null> = await client.query(
      ContractKeysOfCustomer,
      { id: client.gid('Customer', customerId), after },
      (data) => {
        const customer = data.maybeAt('customer')
        return customer && readPage(customer.at('subscriptionContracts'), readKeyed)
      }
    )
    if (!result.ok) return result
    const found = result.value?.items.find((contract) => contract.key === key)
    if (found) return succeeded(found.id)
    after = result.value?.after ?? null
  } while (after)
  return succeeded(null)
}

function readKeyed(contract: Fields): KeyedContract {
  return { id: contract.id('id'), key: attributeOf(contract, KEY_ATTRIBUTE) }
}
