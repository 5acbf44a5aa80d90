import type { Connector, PlatformAttempt, PlatformContract, PlatformOrder, PlatformResult } from '#platform'
import type { ConnectorCalls } from '../test/connectors.ts'

/**
 * A platform that responds at once, without a socket: every charge succeeds with its own order, and every contract is active with
 * its `nextBillingDate` from before the run. It has no state but `charged`, so each process can have one, and the same key always
 * gives the same result. `onCharge` is called with the keys of each call.
 */
export function stubConnector(options: {
  now: Temporal.Instant
  /** For ids of contracts, customers and orders; see aDueStore. */
  priceMinor: number
  onCharge?: (keys: string[]) => void
  /** The keys that were charged by other processes too; only these are found by their key. */
  charged?: readonly string[]
}): Connector {
  const { now, priceMinor, onCharge, charged = [] } = options
  const changed = async (id: string, nextBillingDate: Temporal.Instant = now) =>
    succeeded({ id, status: 'active', revision: '2', nextBillingDate })

  const stub: ConnectorCalls = {
    billing: {
      async createAttempts(requests) {
        onCharge?.(requests.map((request) => request.idempotencyKey))
        return requests.map(({ contractId, idempotencyKey }) => succeeded(anAttempt(contractId, idempotencyKey)))
      },
      findAttemptsByKeys: async (contractId, keys) =>
        succeeded(keys.filter((key) => charged.includes(key)).map((key) => anAttempt(contractId, key)))
    },
    contracts: {
      findReadable: async (ids) =>
        succeeded({ contracts: new Map(ids.map((id) => [id, aContract(id)])), unreadable: new Map() }),
      setNextBillingDate: changed,
      activate: changed
    }
  }

  function anAttempt(contractId: string, idempotencyKey: string): PlatformAttempt {
    const cycle = idempotencyKey.split('-')[2]
    return {
      id: `${cycle}${contractId}`,
      idempotencyKey,
      contractId,
      state: 'success',
      errorCode: null,
      errorMessage: null,
      nextActionUrl: null,
      createdAt: now,
      originAt: now,
      completedAt: now,
      order: anOrder(`${cycle}${contractId}`, contractId),
      paymentMethod: { type: 'card', lastFour: '4242', brand: 'visa' }
    }
  }

  function anOrder(id: string, customerId: string): PlatformOrder {
    return {
      id,
      name: `#${id}`,
      number: id,
      createdAt: now,
      processedAt: now,
      updatedAt: now,
      cancelledAt: null,
      currency: 'USD',
      totalMinor: priceMinor,
      taxMinor: 0,
      discountMinor: 0,
      refundedMinor: 0,
      financialStatus: 'paid',
      customerId,
      email: `person-${customerId}@example.com`,
      gateway: 'bogus',
      countryCode: 'US',
      province: 'New York',
      tags: [],
      discountCodes: [],
      sourceName: 'subscription_contract'
    }
  }

  function aContract(id: string): PlatformContract {
    return {
      id,
      status: 'active',
      createdAt: now,
      updatedAt: now,
      nextBillingDate: now,
      currency: 'USD',
      revision: '1',
      interval: 'month',
      intervalCount: 1,
      minCycles: null,
      maxCycles: null,
      customer: {
        id,
        email: `person-${id}@example.com`,
        firstName: null,
        lastName: null,
        updatedAt: now
      },
      originOrder: null,
      lines: [],
      priceMinor,
      lineChargesMinor: [],
      memberDiscountMinor: 0,
      grantedDiscountMinor: 0,
      deliveryPriceMinor: 0,
      paymentMethod: { type: 'card', lastFour: '4242', brand: 'visa' },
      paymentMethodId: 'card-1',
      createKey: null,
      giftReceiver: null
    }
  }

  // The calls that a run does not make are missing.
  return stub as Connector
}

function succeeded<T>(value: T): PlatformResult<T> {
  return { ok: true, value }
}
