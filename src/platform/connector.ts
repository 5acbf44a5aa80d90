import { type BillingApi, createBillingApi } from './billing/billing-api.ts'
import { type BulkApi, createBulkApi } from './bulk/bulk-api.ts'
import { type ContractsApi, createContractsApi } from './contracts/contracts-api.ts'
import { type CustomersApi, createCustomersApi } from './customers/customers-api.ts'
import { createOrdersApi, type OrdersApi } from './orders/orders-api.ts'
import { createProductsApi, type ProductsApi } from './products/products-api.ts'
import { createShopApi, type ShopApi } from './shop/shop-api.ts'
import { createWebhooksApi, type WebhooksApi } from './webhooks/webhooks-api.ts'
import type { PlatformClient } from './wire/client.ts'

/** Everything that we ask of one store's platform, by resource: `connector.contracts.pause(id)`. */
export type Connector = {
  shop: ShopApi
  customers: CustomersApi
  products: ProductsApi
  orders: OrdersApi
  contracts: ContractsApi
  /** Attempts to charge a contract. */
  billing: BillingApi
  /** Our subscriptions to the platform's webhooks. */
  webhooks: WebhooksApi
  /** Queries over all objects of a shop, which run in the background on the platform. */
  bulk: BulkApi
}

export function createConnector(client: PlatformClient): Connector {
  return {
    shop: createShopApi(client),
    customers: createCustomersApi(client),
    products: createProductsApi(client),
    orders: createOrdersApi(client),
    contracts: createContractsApi(client),
    billing: createBillingApi(client),
    webhooks: createWebhooksApi(client),
    bulk: createBulkApi(client)
  }
}
