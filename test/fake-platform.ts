// A fake commerce platform on a real socket, for responses that the sandbox never gives. Their shapes are those of recorded
// responses of the real one.
import assert from 'node:assert/strict'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after } from 'node:test'
import type { ConnectorOptions, PlatformFailure, PlatformResult } from '#platform'
import { connectorTo } from './connectors.ts'

export type Sent = {
  path: string | undefined
  headers: IncomingMessage['headers']
  operation: string
  query: string
  variables: Record<string, unknown>
}
export type Responder = (res: ServerResponse, sent: Sent, n: number) => void

/** Asked beside a contract with a reduced line: what reduces it. */
const ALLOCATIONS = ['LineAllocations', 'LineAllocationsOfOne']

/**
 * Starts a fake platform on a real socket. `respond` gets each request and its number. What reduces the lines of contracts is nothing of
 * ours, and no request that counts, unless `respondsToAllocations`.
 */
export async function aPlatform(respond: Responder, { respondsToAllocations = false } = {}) {
  const requests: Sent[] = []
  const server = createServer(async (req, res) => {
    const chunks: Buffer[] = []
    for await (const chunk of req) chunks.push(chunk)
    const { query, variables } = JSON.parse(Buffer.concat(chunks).toString())
    const operation = /^(?:query|mutation) (\w+)/.exec(query)![1]!
    const sent = { path: req.url, headers: req.headers, operation, query, variables }
    if (ALLOCATIONS.includes(operation) && !respondsToAllocations) {
      return data(res, { nodes: [], subscriptionContract: null })
    }
    requests.push(sent)
    respond(res, sent, requests.length)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  after(() => {
    server.closeAllConnections()
    server.close()
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/base/`
  const connect = (options?: ConnectorOptions) =>
    connectorTo({ storeId: 1, profile: 'platform', url, accessToken: 'token-1' }, options)
  return { url, requests, connect, connector: connect() }
}

export const json = (res: ServerResponse, body: unknown, status = 200, headers = {}) =>
  res.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
export const data = (res: ServerResponse, value: unknown) => json(res, { data: value })

export function theValue<T>(result: PlatformResult<T>): T {
  assert.ok(result.ok, JSON.stringify(result))
  return result.value
}
export function theFailure<T>(result: PlatformResult<T>): PlatformFailure {
  assert.ok(!result.ok, 'expected a failure')
  return result.failure
}

const usd = (amount: string) => ({ amount, currencyCode: 'USD' })
const bag = (amount: string) => ({ shopMoney: usd(amount) })
export const lastPage = { hasNextPage: false, endCursor: null }

export const shop = {
  shop: { name: 'Acme', myshopifyDomain: 'acme.example', ianaTimezone: 'America/New_York', currencyCode: 'USD' }
}

export const anOrder = (id: string) => ({
  id: `gid://platform/Order/${id}`,
  name: '#1001',
  number: 1001,
  createdAt: '2026-01-31T10:00:00Z',
  processedAt: '2026-01-31T10:00:00Z',
  updatedAt: '2026-01-31T10:00:01Z',
  cancelledAt: null,
  currencyCode: 'USD',
  displayFinancialStatus: 'PARTIALLY_REFUNDED',
  email: 'ann@example.com',
  sourceName: 'subscription_contract',
  tags: ['recharge'],
  discountCodes: [],
  paymentGatewayNames: ['bogus'],
  customer: { id: 'gid://platform/Customer/7' },
  shippingAddress: null,
  billingAddress: { countryCodeV2: 'US', province: 'New York' },
  totalPriceSet: bag('29.0'),
  totalTaxSet: null,
  totalDiscountsSet: bag('1.50'),
  totalRefundedSet: bag('5.00')
})

export const aLine = (n: number) => ({
  id: `gid://platform/SubscriptionLine/line-${n}`,
  title: `Line ${n}`,
  quantity: 1,
  productId: 'gid://platform/Product/1',
  variantId: 'gid://platform/ProductVariant/2',
  sellingPlanId: 'gid://platform/SellingPlan/3',
  sellingPlanName: 'VIP',
  currentPrice: usd('29.00'),
  lineDiscountedPrice: usd('27.5')
})

export const aContract = (id: string, lines = [aLine(1)], pageInfo: unknown = lastPage) => ({
  id: `gid://platform/SubscriptionContract/${id}`,
  status: 'ACTIVE',
  createdAt: '2026-01-31T10:00:00Z',
  updatedAt: '2026-01-31T10:00:00Z',
  nextBillingDate: '2026-02-28T10:00:00Z',
  currencyCode: 'USD',
  revisionId: '9007199254740993',
  billingPolicy: { interval: 'MONTH', intervalCount: 1, minCycles: null, maxCycles: null },
  customer: {
    id: 'gid://platform/Customer/7',
    firstName: 'Ann',
    lastName: null,
    updatedAt: '2026-01-31T10:00:00Z',
    defaultEmailAddress: { emailAddress: 'ann@example.com' }
  },
  originOrder: { id: 'gid://platform/Order/5' },
  deliveryPrice: usd('0.0'),
  customerPaymentMethod: {
    id: 'gid://platform/CustomerPaymentMethod/1f2e',
    instrument: { __typename: 'CustomerCreditCard', brand: 'visa', lastDigits: '4242' }
  },
  customAttributes: [],
  lines: { nodes: lines, pageInfo }
})

export const pending = { __typename: 'SubscriptionBillingAttemptPendingState' }
export const anAttempt = (
  id: string,
  state: unknown = pending,
  idempotencyKey = `key-${id}`,
  order: unknown = null
) => ({
  id: `gid://platform/SubscriptionBillingAttempt/${id}`,
  idempotencyKey,
  createdAt: '2026-02-28T10:00:00Z',
  completedAt: null,
  errorMessage: null,
  order,
  state,
  subscriptionContract: { id: 'gid://platform/SubscriptionContract/9', customerPaymentMethod: null }
})

/** The response to the creation of a billing attempt. */
export const created = (attempt: unknown) => ({
  subscriptionBillingAttemptCreate: { subscriptionBillingAttempt: attempt, userErrors: [] }
})
