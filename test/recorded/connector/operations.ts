// What the connector does with the platform, by the recorded field that answers it: which function of it sends which operation, and
// what the function has to return for an answer that is good.
import {
  AUTOMATIC_DISCOUNT_OPERATIONS,
  findCustomerMetafields,
  METAFIELD_OPERATIONS,
  SEGMENT_OPERATIONS
} from './mirror-operations.ts'
import { byId, digits, idOf, nodesOf, nothing, type Operation, type Recorded } from './operation.ts'

type Json = any

const minor = ({ amount }: { amount: string }) => Math.round(Number(amount) * 100)

const SHARED = {
  ...{
    title: 'T',
    value: { amountMinor: 100 },
    productIds: [],
    minimumMinor: null,
    currency: 'CAD',
    goneProductIds: []
  }
}
const CODE = {
  code: 'C',
  title: 'T',
  customerId: '1',
  amountMinor: 100,
  currency: 'CAD',
  startsAt: Temporal.Instant.from('2026-07-10T00:00:00Z'),
  endsAt: Temporal.Instant.from('2026-07-11T00:00:00Z')
}
const SHIPPING = {
  ...{ code: 'C', title: 'T', customerId: '1', currency: 'CAD', startsAt: CODE.startsAt, endsAt: null },
  ...{ value: { isShipping: true as const }, productIds: [], collectionIds: [], minimumMinor: null }
}
const code = ({ value }: Recorded) => value && { id: digits(value.id), uses: value.codeDiscount.asyncUsageCount ?? 0 }

const customer = (value: Json) => ({
  id: digits(value.id),
  email: value.defaultEmailAddress?.emailAddress ?? null,
  firstName: value.firstName ?? null,
  lastName: value.lastName ?? null,
  countryCode: value.defaultAddress?.countryCodeV2 ?? null,
  provinceCode: value.defaultAddress?.provinceCode ?? null,
  createdAt: instant(value.createdAt),
  updatedAt: instant(value.updatedAt),
  accountState: value.state?.toLowerCase() ?? null,
  tags: value.tags ?? null,
  emailConsent: consent(value.defaultEmailAddress),
  smsConsent: consent(value.defaultPhoneNumber)
})
const consent = (of: Json) =>
  of?.marketingState
    ? { state: of.marketingState.toLowerCase(), at: of.marketingUpdatedAt ? instant(of.marketingUpdatedAt) : null }
    : null
const instant = (text: string) => String(Temporal.Instant.from(text))

const NAMES = ['firstName', 'lastName', 'defaultEmailAddress', 'email', 'defaultAddress']
const findCustomer: Operation = {
  name: 'CustomersByIds',
  isInNodes: true,
  needs: NAMES,
  call: (connector, recorded) => connector.customers.findMany([idOf(recorded)]),
  expected: byId(customer)
}
const findCustomerTags: Operation = {
  name: 'CustomerTags',
  isInNodes: true,
  needs: ['tags'],
  call: (connector, recorded) => connector.tags.findMany('customer', [idOf(recorded)]),
  expected: byId(({ tags }) => tags)
}
const findCreditAccount: Operation = {
  name: 'CreditAccounts',
  isInNodes: true,
  needs: ['storeCreditAccounts'],
  call: (connector, recorded) => connector.storeCredit.findMany([idOf(recorded)], recorded.currency),
  expected: byId((value) => {
    const account = nodesOf(value.storeCreditAccounts)[0]
    return account
      ? { id: digits(account.id), balanceMinor: minor(account.balance), transactions: [], after: null }
      : null
  })
}
const findBulkOperation: Operation = {
  name: 'BulkOperationById',
  field: 'bulkOperation',
  call: (connector, recorded) => connector.bulk.find(idOf(recorded)),
  expected: ({ value }) =>
    value && {
      id: digits(value.id),
      status: value.status.toLowerCase(),
      query: value.query,
      errorCode: value.errorCode?.toLowerCase() ?? null,
      objectCount: Number(value.objectCount),
      file: value.url ? { url: value.url, isOnPlatform: false } : null
    }
}

const TERMS = { name: 'VIP', priceMinor: 2900, currency: 'CAD', interval: 'month', intervalCount: 1 } as const
const GROUP = {
  id: 'gid://shopify/SellingPlanGroup/3',
  sellingPlans: { nodes: [{ id: 'gid://shopify/SellingPlan/4' }] }
}
const groupCreated = { sellingPlanGroupCreate: { sellingPlanGroup: GROUP, userErrors: [] } }
const PLAN = { sellingPlanGroupId: '3', productId: null, variantId: null, productIds: [] }
const policy = (plan: Json) => plan?.billingPolicy ?? {}
/** The same cadence as the first recorded plan, so that the plan is found again. */
const termsLike = ({ value }: Recorded) => {
  const { interval = 'MONTH', intervalCount = 1 } = policy(nodesOf(value?.sellingPlanGroup?.sellingPlans)[0])
  return { ...TERMS, interval: interval.toLowerCase(), intervalCount }
}

const money = (name: string, account: string, call: Operation['call'], prefix = ''): Operation => ({
  name,
  call,
  expected: ({ value }) => {
    const moved: Json = Object.values(value).find((one: Json) => one?.id)
    return {
      key: `${prefix}${digits(moved.id)}`,
      accountId: digits(moved[account].id),
      balanceAfterMinor: minor(moved.balanceAfterTransaction ?? moved[account].balance)
    }
  }
})
const MOVE = (currency: string) => ({ amountMinor: 100, currency, note: 'n' })

const URI = 'https://svc.example/hooks'
export const noSubscriptions = {
  webhookSubscriptions: { nodes: [], pageInfo: { hasNextPage: false, endCursor: null } }
}
const aSubscription = {
  id: 'gid://shopify/WebhookSubscription/1',
  topic: 'ORDERS_PAID',
  uri: 'https://old.example',
  format: 'JSON',
  filter: null,
  includeFields: []
}
const oneSubscription = { webhookSubscriptions: { ...noSubscriptions.webhookSubscriptions, nodes: [aSubscription] } }
const ensured = (state: 'created' | 'updated' | 'unchanged') => ({
  created: [],
  updated: [],
  unchanged: [],
  removed: 0,
  [state]: ['orders/paid']
})
const topicsOf = ({ value }: Recorded) => [
  ...new Set<string>(nodesOf(value).map(({ topic }: Json) => topic.toLowerCase()))
]

const tagsChanged = (change: 'add' | 'remove'): Operation => ({
  name: change === 'add' ? 'CustomerTagsAdd' : 'CustomerTagsRemove',
  call: (connector) => connector.tags[change]('customer', '1', ['t']),
  expected: ({ value }) => value.node.tags,
  isOfProduct: true
})

/** By the recorded field; a field may answer several operations. */
export const OPERATIONS: Record<string, Operation[]> = {
  discountCodeBasicCreate: [
    {
      name: 'CodeCreate',
      call: (connector) => connector.discounts.createCode(CODE),
      expected: ({ value }) => ({ id: digits(value.codeDiscountNode.id) })
    }
  ],
  discountCodeFreeShippingCreate: [
    {
      name: 'ShippingCodeCreate',
      call: (connector) => connector.discounts.createCoupon(SHIPPING),
      expected: ({ value }) => ({ id: digits(value.codeDiscountNode.id) })
    }
  ],
  codeDiscountNodeByCode: [
    { name: 'CodeByCode', call: (connector) => connector.discounts.findByCode('C'), expected: code }
  ],
  codeDiscountNode: [{ name: 'CodeById', call: (connector) => connector.discounts.findById('1'), expected: code }],
  discountCodeDeactivate: [
    { name: 'CodeDeactivate', call: (connector) => connector.discounts.deactivate('1'), expected: nothing }
  ],
  discountCodeActivate: [
    { name: 'CodeActivate', call: (connector) => connector.discounts.activate('1'), expected: nothing }
  ],
  discountCodeBasicUpdate: [
    { name: 'CodeUpdate', call: (connector) => connector.discounts.updateShared('1', SHARED), expected: nothing }
  ],
  discountCodeFreeShippingUpdate: [
    {
      name: 'ShippingCodeUpdate',
      call: (connector) => connector.discounts.updateShared('1', { ...SHARED, value: { isShipping: true } }),
      expected: nothing
    }
  ],
  discountRedeemCodeBulkAdd: [
    {
      name: 'RedeemCodesAdd',
      call: (connector) => connector.discounts.addCodes('1', ['C']),
      expected: ({ value }) => digits(value.bulkCreation.id)
    }
  ],
  discountRedeemCodeBulkCreation: [
    {
      name: 'RedeemCodesAdded',
      call: (connector) => connector.discounts.findAddedCodes('1'),
      expected: ({ value }) =>
        nodesOf(value.codes).map(({ code, discountRedeemCode, errors }: Json) => ({
          ...{ code, isAdded: discountRedeemCode !== null, problem: errors[0]?.message ?? null }
        }))
    }
  ],
  discountCodeDelete: [{ name: 'CodeDelete', call: (connector) => connector.discounts.delete('1'), expected: nothing }],

  ...METAFIELD_OPERATIONS,
  ...SEGMENT_OPERATIONS,
  ...AUTOMATIC_DISCOUNT_OPERATIONS,

  customer: [findCustomer, findCustomerTags, findCustomerMetafields, findCreditAccount],
  customerByIdentifier: [findCustomer, findCustomerTags, findCustomerMetafields],
  customers: [
    {
      name: 'CustomersByEmail',
      needs: ['nodes', 'edges'],
      call: (connector, { value }) =>
        connector.customers.findByEmails([
          nodesOf(value)[0]?.defaultEmailAddress?.emailAddress ?? 'nobody@example.com'
        ]),
      expected: ({ value }) => {
        const email = nodesOf(value)[0]?.defaultEmailAddress?.emailAddress ?? 'nobody@example.com'
        const of = (one: Json) => one.defaultEmailAddress?.emailAddress === email
        return {
          [email]: nodesOf(value)
            .filter(of)
            .map(({ id }: Json) => digits(id))
        }
      }
    }
  ],
  customerUpdate: [
    {
      name: 'CustomerUpdate',
      call: async (connector) => (await connector.customers.update([{ id: '1', firstName: 'A' }]))[0],
      expected: ({ value }) => customer(value.customer)
    }
  ],
  tagsAdd: [tagsChanged('add')],
  tagsRemove: [tagsChanged('remove')],

  storeCreditAccountCredit: [
    money('CreditAccountCredit', 'account', (connector, { currency }) =>
      connector.storeCredit.credit('1', 100, currency)
    )
  ],
  storeCreditAccountDebit: [
    money('CreditAccountDebit', 'account', (connector, { currency }) => connector.storeCredit.debit('1', 100, currency))
  ],
  storeCreditAccount: [
    {
      name: 'CreditTransactions',
      needs: ['transactions'],
      ofNull: 'has no StoreCreditAccount 1',
      call: (connector, { currency }) => connector.storeCredit.listTransactions('1', currency, 'after'),
      expected: ({ value }) => ({
        items: nodesOf(value.transactions).map((one: Json) => one.id && digits(one.id)),
        after: value.transactions.pageInfo.hasNextPage ? value.transactions.pageInfo.endCursor : null
      })
    }
  ],
  giftCardCreate: [
    {
      name: 'GiftCardCreate',
      call: (connector, { currency }) =>
        connector.giftCards.create({ customerId: '1', code: 'ABCD1234', ...MOVE(currency) }),
      expected: ({ value }) => ({ id: digits(value.giftCard.id), lastCharacters: value.giftCard.lastCharacters })
    }
  ],
  giftCardCredit: [
    money(
      'GiftCardCredit',
      'giftCard',
      (connector, { currency }) => connector.giftCards.credit('1', MOVE(currency)),
      'gift-'
    )
  ],
  giftCardDebit: [
    money(
      'GiftCardDebit',
      'giftCard',
      (connector, { currency }) => connector.giftCards.debit('1', MOVE(currency)),
      'gift-'
    )
  ],
  giftCardDeactivate: [
    { name: 'GiftCardDeactivate', call: (connector) => connector.giftCards.deactivate('1'), expected: nothing }
  ],
  giftCardSendNotificationToCustomer: [
    { name: 'GiftCardNotify', call: (connector) => connector.giftCards.notifyCustomer('1'), expected: nothing }
  ],
  giftCard: [
    {
      name: 'GiftCardTransactions',
      needs: ['transactions'],
      ofNull: 'has no GiftCard 1',
      call: (connector, { currency }) => connector.giftCards.listTransactions('1', currency, 'after'),
      expected: () => null
    }
  ],
  giftCards: [
    {
      name: 'GiftCardsFound',
      needs: ['nodes'],
      call: (connector, { currency }) => connector.giftCards.findByCode('ABCD1234', currency),
      expected: ({ value }) =>
        nodesOf(value).map((one: Json) => ({
          id: digits(one.id),
          balanceMinor: minor(one.balance),
          isEnabled: one.enabled,
          expiresOn: one.expiresOn,
          lastCharacters: one.lastCharacters,
          note: one.note,
          createdAt: instant(one.createdAt),
          transactions: [],
          after: null
        }))
    }
  ],

  productCreate: [
    {
      name: 'PlanProductCreate',
      call: (connector) => connector.products.createPlan(TERMS),
      expected: ({ value }) => ({
        productId: digits(value.product.id),
        variantId: digits(nodesOf(value.product.variants)[0].id),
        sellingPlanGroupId: '3',
        sellingPlanId: '4'
      }),
      needs: ['product.variants'],
      others: {
        PlanProductByHandle: { productByIdentifier: null },
        PlanPriceUpdate: { productVariantsBulkUpdate: { productVariants: [], userErrors: [] } },
        PlanSellingGroupCreate: groupCreated
      }
    }
  ],
  collection: [
    {
      name: 'CollectionProducts',
      needs: ['products'],
      call: (connector) => connector.collections.listProductIds('1'),
      expected: ({ value }) =>
        value && {
          items: nodesOf(value.products).map(({ id }: Json) => digits(id)),
          after: value.products.pageInfo.hasNextPage ? value.products.pageInfo.endCursor : null
        }
    }
  ],
  product: [
    {
      name: 'ProductsByIds',
      isInNodes: true,
      call: (connector, recorded) => connector.products.exist([idOf(recorded)]),
      expected: ({ value }) => (value ? [digits(value.id)] : [])
    },
    {
      name: 'ProductSellingGroups',
      needs: ['sellingPlanGroups'],
      ofNull: 'Product does not exist.',
      call: (connector) => connector.products.createPlan(TERMS, ['1']),
      // None of the recorded groups is ours, so one is made.
      expected: () => ({ productId: null, variantId: null, sellingPlanGroupId: '3', sellingPlanId: '4' }),
      others: { PlanSellingGroupCreate: groupCreated }
    }
  ],
  publishablePublish: [
    {
      name: 'PlanProductPublish',
      call: (connector) => connector.products.publishProduct('1'),
      expected: () => 1,
      others: {
        PlanProductChannels: {
          publications: { nodes: [{ id: 'gid://shopify/Publication/1' }] },
          product: { resourcePublicationsV2: { nodes: [] } }
        }
      }
    }
  ],
  productVariant: [
    {
      name: 'VariantsByIds',
      isInNodes: true,
      needs: ['product'],
      call: (connector, recorded) => connector.products.findByVariants([idOf(recorded)]),
      expected: byId(({ product }) => digits(product.id))
    }
  ],
  sellingPlanGroup: [
    {
      name: 'PlanSellingGroup',
      needs: ['sellingPlans'],
      ofNull: 'Its selling plan group is gone',
      call: (connector) => connector.products.publishPlan(PLAN, TERMS),
      expected: () => '4',
      others: {
        PlanSellingGroupUpdate: {
          sellingPlanGroupUpdate: {
            sellingPlanGroup: {
              sellingPlans: {
                nodes: [
                  {
                    id: 'gid://shopify/SellingPlan/4',
                    billingPolicy: { interval: 'MONTH', intervalCount: 1 },
                    pricingPolicies: []
                  }
                ]
              }
            },
            userErrors: []
          }
        },
        PlanProductsRemove: { sellingPlanGroupRemoveProducts: { userErrors: [] } }
      }
    }
  ],
  sellingPlanGroupUpdate: [
    {
      name: 'PlanSellingGroupUpdate',
      needs: ['sellingPlanGroup.sellingPlans'],
      call: (connector, recorded) => connector.products.publishPlan(PLAN, termsLike(recorded)),
      expected: ({ value }) => digits(nodesOf(value.sellingPlanGroup.sellingPlans)[0].id),
      others: { PlanSellingGroup: { sellingPlanGroup: { products: { nodes: [] }, sellingPlans: { nodes: [] } } } }
    }
  ],
  sellingPlanGroupCreate: [
    {
      name: 'PlanSellingGroupCreate',
      needs: ['sellingPlanGroup.sellingPlans'],
      call: (connector) => connector.products.createPlan(TERMS, ['1']),
      expected: ({ value }) => ({
        productId: null,
        variantId: null,
        sellingPlanGroupId: digits(value.sellingPlanGroup.id),
        sellingPlanId: digits(nodesOf(value.sellingPlanGroup.sellingPlans)[0].id)
      }),
      others: { ProductSellingGroups: { product: { sellingPlanGroups: { nodes: [] } } } }
    }
  ],

  webhookSubscriptions: [
    {
      name: 'WebhookSubscriptions',
      needs: ['nodes.topic', 'edges.node.topic'],
      call: (connector, recorded) => connector.webhookSubscriptions.look(URI, topicsOf(recorded)),
      expected: (recorded) =>
        topicsOf(recorded).flatMap((topic) =>
          nodesOf(recorded.value)
            .filter((one: Json) => one.topic.toLowerCase() === topic)
            .map(({ uri }: Json) => ({ topic, uri, problem: `is sent to ${uri}` }))
        )
    }
  ],
  webhookSubscriptionCreate: [
    {
      name: 'WebhookSubscriptionCreate',
      call: (connector) => connector.webhookSubscriptions.ensure(URI, ['orders/paid']),
      expected: () => ensured('created'),
      others: { WebhookSubscriptions: noSubscriptions }
    }
  ],
  webhookSubscriptionUpdate: [
    {
      name: 'WebhookSubscriptionUpdate',
      call: (connector) => connector.webhookSubscriptions.ensure(URI, ['orders/paid']),
      expected: () => ensured('updated'),
      others: { WebhookSubscriptions: oneSubscription }
    }
  ],
  webhookSubscriptionDelete: [
    {
      name: 'WebhookSubscriptionDelete',
      call: (connector) => connector.webhookSubscriptions.remove(['orders/paid']),
      expected: () => 1,
      others: { WebhookSubscriptions: oneSubscription }
    }
  ],

  bulkOperationRunQuery: [
    {
      name: 'BulkQueryRun',
      call: (connector) => connector.bulk.run('{ customers { edges { node { id } } } }'),
      expected: ({ value }) => digits(value.bulkOperation.id)
    }
  ],
  bulkOperation: [findBulkOperation],
  currentBulkOperation: [findBulkOperation],
  bulkOperationCancel: [
    { name: 'BulkOperationCancel', call: (connector) => connector.bulk.cancel('1'), expected: nothing }
  ],

  order: [
    {
      name: 'OrdersByIds',
      isInNodes: true,
      needs: ['displayFinancialStatus'],
      call: (connector, recorded) => connector.orders.findMany([idOf(recorded)]),
      expected: byId((value) => ({
        financialStatus: value.displayFinancialStatus.toLowerCase(),
        gateway: value.paymentGatewayNames[0]
      })),
      isPart: true
    }
  ]
}
