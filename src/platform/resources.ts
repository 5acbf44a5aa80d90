// The resources of the connector: each line adds one, under the name that its callers use.
export { createBillingApi as billing } from './billing/billing-api.ts'
export { createBulkApi as bulk } from './bulk/bulk-api.ts'
export { createContractsApi as contracts } from './contracts/contracts-api.ts'
export { createCustomersApi as customers } from './customers/customers-api.ts'
export { createOrdersApi as orders } from './orders/orders-api.ts'
export { createProductsApi as products } from './products/products-api.ts'
export { createShopApi as shop } from './shop/shop-api.ts'
export { createWebhookSubscriptionsApi as webhookSubscriptions } from './webhook-subscriptions/webhook-subscriptions-api.ts'
