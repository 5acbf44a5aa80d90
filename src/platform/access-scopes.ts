/**
 * An access scope of the app: what needs it, and what stops without it. `approval`: the platform grants it to a public app only after
 * a review. `personalData`: it reads personal data of customers, which needs an approval of its own.
 */
type AccessScope = { neededFor: string; without: string; approval?: string; personalData?: true }

const SUBSCRIPTIONS = 'subscription APIs: request access in the Partner Dashboard under API access'
const PAYMENT_METHODS = 'payment methods of customers: request access in the Partner Dashboard under API access'

/** The access scopes that the app requests on the platform. Without one of them a store is not whole. */
export const REQUESTED_SCOPES = {
  read_customers: {
    neededFor:
      'members: names and addresses, accounts, consents, and messages about their changes and tags; comparing the metafields of customers',
    without:
      'members are no longer kept up to date, new customers have no name and no e-mail address, accounts, consents and tags are not noticed, and the daily comparison of metafields stops',
    personalData: true
  },
  write_customers: {
    neededFor:
      'a profile that is changed here, the tags and metafields of members, and the segment of customers that native discounts are for',
    without:
      'changed profiles and the tags and metafields of members no longer reach the platform, and native discounts get no segment of customers',
    personalData: true
  },
  read_customer_merge: {
    neededFor: 'messages about customers that were merged',
    without: 'two customers who are merged on the platform stay two members here',
    personalData: true
  },
  read_customer_payment_methods: {
    neededFor: 'the card of a subscription, and messages about new and revoked ones',
    without: 'a new card starts no retry, and subscriptions show no card',
    approval: PAYMENT_METHODS,
    personalData: true
  },
  read_orders: {
    neededFor: 'orders with their refunds and payments',
    without:
      'paid renewals are settled without their order, failed ones are not retried, and new contracts wait, since an order would say whether it was paid; no other order, refund or payment is recorded (write_orders includes this scope)',
    personalData: true
  },
  write_orders: { neededFor: 'tags of orders', without: 'orders get no tags' },
  read_shopify_payments_disputes: {
    neededFor: 'chargebacks and inquiries about orders',
    without: 'chargebacks and inquiries are not noticed'
  },
  read_store_credit_accounts: {
    neededFor: "the platform's own accounts of store credit, and what was spent from them",
    without: "store credit that is spent on the platform's own accounts is not noticed"
  },
  write_store_credit_account_transactions: {
    neededFor: 'store credit that is spent from these accounts',
    without: "new store credit does not reach the platform's own accounts"
  },
  read_gift_cards: {
    neededFor: 'the gift cards of members whose plan pays out credit on them',
    without: 'the gift cards of members are not found',
    approval: 'gift cards: granted to a public app on request'
  },
  write_gift_cards: {
    neededFor: 'gift cards that are made for them',
    without: 'no gift card is made for credit that is paid out on one',
    approval: 'gift cards: granted to a public app on request'
  },
  read_gift_card_transactions: {
    neededFor: 'what was spent from these cards',
    without: 'what is spent from gift cards is not noticed',
    approval: 'gift cards: granted to a public app on request'
  },
  write_gift_card_transactions: {
    neededFor: 'store credit that is put on these cards',
    without: 'no credit is put on gift cards',
    approval: 'gift cards: granted to a public app on request'
  },
  read_discounts: {
    neededFor:
      'whether a code that spends store credit is there, and was used; and the discounts that give members their prices',
    without:
      'codes that spend store credit cannot be checked, and their credit stays reserved; changed discounts of members are not noticed'
  },
  write_discounts: {
    neededFor:
      'codes that spend store credit, coupons of loyalty and codes of referrals, and the discounts that give members their prices at the checkout, with their metafields',
    without:
      'no code that spends store credit can be made or ended, coupons of loyalty and codes of referrals wait to be made, members get no prices by discounts of the service, and the collections that the discount function reads (svc_collection_ids) are not written'
  },
  read_products: {
    neededFor:
      'products and prices of plans; tags and collections of the products that members subscribe to; messages about changed products and collections',
    without:
      'plans cannot be read from their products, members have no discount on renewals, and changed products and collections are not noticed'
  },
  write_products: {
    neededFor: 'plans as products with selling plans',
    without: 'no plan can be published or changed'
  },
  read_publications: {
    neededFor: 'the sales channels of the shop',
    without: "a new plan's product is in no sales channel until somebody publishes it by hand"
  },
  write_publications: {
    neededFor: "the product of a membership in the shop's sales channels",
    without: "a new plan's product is in no sales channel until somebody publishes it by hand"
  },
  read_own_subscription_contracts: {
    neededFor: 'subscriptions and their charges',
    without: 'nothing can be billed: subscriptions and the results of charges are not readable',
    approval: SUBSCRIPTIONS
  },
  write_own_subscription_contracts: {
    neededFor: 'charges, and changes of subscriptions',
    without: 'nothing can be billed, and no subscription can be changed',
    approval: SUBSCRIPTIONS
  }
} as const satisfies Record<string, AccessScope>

/** What the app works without, and does better with; requested where the app's configuration has them. */
export const OPTIONAL_SCOPES = {
  read_all_orders: {
    neededFor: 'orders that are older than 60 days',
    without:
      'orders older than 60 days are not seen: what is known of the first order of a customer may be a later one, and is marked so',
    approval: 'orders older than 60 days: request access in the Partner Dashboard under API access',
    personalData: true
  }
} as const satisfies Record<string, AccessScope>

export type RequestedScope = keyof typeof REQUESTED_SCOPES

/** The names of `REQUESTED_SCOPES`. */
export const requestedScopes = Object.keys(REQUESTED_SCOPES) as RequestedScope[]

/** Every scope with what is said of it, as a list. */
export const accessScopes: ({ scope: string; optional: boolean } & AccessScope)[] = [
  ...Object.entries(REQUESTED_SCOPES).map(([scope, said]) => ({ scope, optional: false, ...said })),
  ...Object.entries(OPTIONAL_SCOPES).map(([scope, said]) => ({ scope, optional: true, ...said }))
]

/** The requested scopes that the app lacks where these are granted. */
export function missingScopes(granted: readonly string[]): RequestedScope[] {
  const has = withImpliedScopes(granted)
  return requestedScopes.filter((scope) => !has.has(scope))
}

/** With the scopes that these include: one to write includes the one to read, and the platform may list only the former. */
export const withImpliedScopes = (scopes: readonly string[]): Set<string> =>
  new Set(scopes.flatMap((scope) => (scope.startsWith('write_') ? [scope, scope.replace('write_', 'read_')] : [scope])))
