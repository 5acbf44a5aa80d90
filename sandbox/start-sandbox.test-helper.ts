import { createHmac, randomBytes } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after } from 'node:test'
import { Agent, type Dispatcher, request } from 'undici'
import type { Database } from '#kit/postgres'
import { createSandbox, type Sandbox, UNKIND } from './index.ts'
import { ACCESS_SCOPES } from './wire/access.ts'

export type Received = { topic: string; headers: Record<string, string>; text: string; body: Record<string, unknown> }

/** Starts a sandbox on a real socket, with clocks that tests set. Its shops give the app these scopes; default: every scope. */
export async function startSandbox(db: Database, requestedScopes: readonly string[] = ACCESS_SCOPES) {
  const clocks = new Map<string, Temporal.Instant>()
  const bugs: unknown[] = []
  const sandbox = createSandbox({
    db,
    clock: async (domain) => clocks.get(domain) ?? Temporal.Now.instant(),
    log: (_message, fields) => bugs.push(fields.err),
    newShopFaults: UNKIND,
    requestedScopes
  })
  const origin = await sandbox.app.listen({ port: 0, host: '127.0.0.1' })
  const agent = new Agent()
  after(async () => {
    await agent.close()
    await sandbox.close()
  })
  let storeId = 0
  return {
    sandbox,
    origin,
    bugs,
    agent,
    /** Creates a shop with a frozen clock. */
    aShop: async (
      given: Partial<Parameters<Sandbox['controls']['createShop']>[0]> & { now?: string } = {}
    ): Promise<TestShop> => {
      storeId++
      const { now = '2026-01-31T15:00:00Z', ...rest } = given
      const shop = {
        storeId,
        domain: `shop-${storeId}.test`,
        name: 'Corner shop',
        timezone: 'America/New_York',
        currency: 'USD',
        profile: 'platform' as const,
        accessToken: `token-${storeId}`,
        appSecret: randomBytes(8).toString('hex'),
        proxySecret: randomBytes(8).toString('hex'),
        appProxyUrl: null,
        ...rest
      }
      await sandbox.controls.createShop(shop)
      clocks.set(shop.domain, Temporal.Instant.from(now))
      return new TestShop(sandbox, agent, origin, shop, clocks)
    }
  }
}

export type Answered = Record<string, any>

export type GraphqlResult = {
  status: number
  data: Answered
  errors?: { message: string; path?: unknown[]; extensions?: Record<string, unknown> }[]
  extensions?: { cost: { requestedQueryCost: number; actualQueryCost: number | null; throttleStatus: unknown } }
}

export class TestShop {
  readonly sandbox: Sandbox
  readonly agent: Dispatcher
  readonly base: string
  readonly shop: Parameters<Sandbox['controls']['createShop']>[0]
  readonly #clocks: Map<string, Temporal.Instant>

  constructor(
    sandbox: Sandbox,
    agent: Dispatcher,
    origin: string,
    shop: TestShop['shop'],
    clocks: Map<string, Temporal.Instant>
  ) {
    this.sandbox = sandbox
    this.agent = agent
    this.base = `${origin}/${shop.domain}`
    this.shop = shop
    this.#clocks = clocks
  }

  get storeId() {
    return this.shop.storeId
  }

  get now() {
    return this.#clocks.get(this.shop.domain)!
  }

  advance(duration: Temporal.DurationLike) {
    this.#clocks.set(this.shop.domain, this.now.add(duration))
  }

  /** Runs all due work of the platform. */
  async settle() {
    while ((await this.sandbox.engine.runOnce(this.storeId)) > 0);
  }

  async graphql(query: string, variables: object = {}): Promise<GraphqlResult> {
    const response = await request(`${this.base}/admin/api/2026-07/graphql.json`, {
      method: 'POST',
      dispatcher: this.agent,
      headers: { 'content-type': 'application/json', [`x-${this.shop.profile}-access-token`]: this.shop.accessToken },
      body: JSON.stringify({ query, variables })
    })
    return { status: response.statusCode, ...((await response.body.json()) as Omit<GraphqlResult, 'status'>) }
  }

  /** Runs a mutation that must succeed and returns its payload. */
  async mutate(query: string, variables: object = {}): Promise<Answered> {
    const { data, errors } = await this.graphql(query, variables)
    if (errors) throw new Error(JSON.stringify(errors))
    const [payload] = Object.values(data)
    if (payload.userErrors?.length > 0) throw new Error(JSON.stringify(payload.userErrors))
    return payload
  }

  /** Creates a membership product with one monthly plan, as the app does. */
  async aPlan(name = 'VIP', price = '29.00'): Promise<{ productId: string; variantId: string; groupId: string }> {
    const { product } = await this.mutate(
      `mutation($product: ProductCreateInput!) { productCreate(product: $product) {
         product { id variants(first: 1) { nodes { id } } } userErrors { field message } } }`,
      { product: { title: name, productType: 'Membership' } }
    )
    const variantId = product.variants.nodes[0].id
    await this.mutate(
      `mutation($id: ID!, $variants: [ProductVariantsBulkInput!]!) {
         productVariantsBulkUpdate(productId: $id, variants: $variants) { userErrors { field message } } }`,
      { id: product.id, variants: [{ id: variantId, price }] }
    )
    const { sellingPlanGroup } = await this.mutate(
      `mutation($input: SellingPlanGroupInput!, $resources: SellingPlanGroupResourceInput) {
         sellingPlanGroupCreate(input: $input, resources: $resources) {
           sellingPlanGroup { id } userErrors { field message code } } }`,
      {
        input: {
          name,
          options: ['Billed'],
          sellingPlansToCreate: [
            {
              name: `Monthly ${name}`,
              options: ['Every month'],
              category: 'SUBSCRIPTION',
              billingPolicy: { recurring: { interval: 'MONTH', intervalCount: 1 } },
              deliveryPolicy: { recurring: { interval: 'MONTH', intervalCount: 1 } },
              pricingPolicies: [{ fixed: { adjustmentType: 'PRICE', adjustmentValue: { fixedValue: price } } }]
            }
          ]
        },
        resources: { productIds: [product.id] }
      }
    )
    return { productId: product.id, variantId, groupId: sellingPlanGroup.id }
  }

  async aCustomer(email = 'ada@example.com') {
    const { storeId } = this
    return this.sandbox.controls.createCustomer({ storeId, email, firstName: 'Ada', lastName: 'Love', country: 'US' })
  }

  /** Creates a customer with a membership. */
  async aMember(email = 'ada@example.com') {
    const customer = await this.aCustomer(email)
    const { contractId, orderId } = await this.sandbox.controls.join({
      storeId: this.storeId,
      customerId: customer.id,
      plan: 'Monthly VIP'
    })
    return { customer, orderId, contractId, contract: `gid://platform/SubscriptionContract/${contractId}` }
  }

  async charge(contract: string, index: number, idempotencyKey = `${contract}-${index}`) {
    return this.graphql(
      `mutation($id: ID!, $input: SubscriptionBillingAttemptInput!) {
         subscriptionBillingAttemptCreate(subscriptionContractId: $id, subscriptionBillingAttemptInput: $input) {
           subscriptionBillingAttempt { id ready idempotencyKey errorCode order { id name } nextActionUrl }
           userErrors { field message code } } }`,
      { id: contract, input: { idempotencyKey, billingCycleSelector: { index } } }
    )
  }

  /** Subscribes a receiver to topics of this shop and returns the list of received webhooks. `answer` returns its status. */
  async aReceiver(topics: string[], statusOf: (received: Received) => number = () => 200): Promise<Received[]> {
    const got: Received[] = []
    const server = createServer((incoming, outgoing) => {
      const parts: Buffer[] = []
      incoming.on('data', (part) => parts.push(part))
      incoming.on('end', () => {
        const text = Buffer.concat(parts).toString()
        const headers = incoming.headers as Record<string, string>
        const received = { topic: headers['x-platform-topic']!, headers, text, body: JSON.parse(text) }
        got.push(received)
        outgoing.writeHead(statusOf(received)).end()
      })
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    after(() => void server.close())
    const uri = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`
    for (const topic of topics) {
      await this.mutate(
        `mutation($topic: WebhookSubscriptionTopic!, $to: WebhookSubscriptionInput!) {
           webhookSubscriptionCreate(topic: $topic, webhookSubscription: $to) { userErrors { field message } } }`,
        { topic, to: { uri } }
      )
    }
    return got
  }

  signatureOf(text: string): string {
    return createHmac('sha256', this.shop.appSecret).update(text).digest('base64')
  }
}
