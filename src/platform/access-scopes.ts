/** The access scopes that the app requests on the platform, each with what needs it. Without one of them a store is not whole. */
export const REQUESTED_SCOPES = {
  read_customers: 'members: names and addresses, and messages about their changes',
  write_customers: 'a profile that is changed here, and the tags of members',
  read_customer_merge: 'messages about customers that were merged',
  read_customer_payment_methods: 'the card of a subscription, and messages about new and revoked ones',
  read_orders: 'orders with their refunds and payments',
  write_orders: 'tags of orders',
  read_shopify_payments_disputes: 'chargebacks and inquiries about orders',
  read_store_credit_accounts: "the platform's own accounts of store credit, and what was spent from them",
  write_store_credit_account_transactions: 'store credit that is spent from these accounts',
  read_gift_cards: 'the gift cards of members whose plan pays out credit on them',
  write_gift_cards: 'gift cards that are made for them',
  read_gift_card_transactions: 'what was spent from these cards',
  write_gift_card_transactions: 'store credit that is put on these cards',
  read_discounts: 'whether a code that spends store credit is there, and was used',
  write_discounts: 'codes that spend store credit',
  read_products: 'products and prices of plans',
  write_products: 'plans as products with selling plans',
  read_own_subscription_contracts: 'subscriptions and their charges',
  write_own_subscription_contracts: 'charges, and changes of subscriptions'
} as const satisfies Record<string, string>

/** The names of `REQUESTED_SCOPES`. */
export const requestedScopes = Object.keys(REQUESTED_SCOPES) as (keyof typeof REQUESTED_SCOPES)[]
