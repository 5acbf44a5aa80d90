import type { GraphQLResolveInfo } from 'graphql'
import type { Queries } from '#kit/postgres'
import type { SandboxDatabase } from '../report-queued.ts'
import type { Shop } from '../shop.ts'
import { type Attempt, findAttempts, listAttemptsOf } from '../state/attempts.ts'
import { type Collection, findCollections } from '../state/collections.ts'
import { type Contract, findContracts, listContractsOf } from '../state/contracts.ts'
import { type CreditAccount, findCreditAccounts, listCreditAccounts } from '../state/credit.ts'
import { type CustomerAddress, listCustomerAddresses } from '../state/customer-addresses.ts'
import { type Customer, findCustomers } from '../state/customers.ts'
import { type Discount, findDiscounts } from '../state/discounts/discounts.ts'
import { countCodes, findRedeemCodes, type RedeemCode } from '../state/discounts/redeem-codes.ts'
import { type Dispute, findDisputes, listDisputesOf } from '../state/disputes.ts'
import { findGiftCards, type GiftCard } from '../state/gift-cards.ts'
import { listMetafields, type Metafield } from '../state/metafields.ts'
import {
  findOrders,
  findRefunds,
  findTransactions,
  listOrdersOfContracts,
  listRefunds,
  listTransactions,
  type Order,
  type Refund,
  type Transaction
} from '../state/orders.ts'
import { findPaymentMethods, listPaymentMethods, type PaymentMethod } from '../state/payment-methods.ts'
import {
  findGroups,
  findPlans,
  findProducts,
  findVariants,
  listPlans,
  listVariants,
  type Product,
  type SellingPlan,
  type SellingPlanGroup,
  type Variant
} from '../state/products.ts'
import { findSegments, type Segment } from '../state/segments.ts'
import { groupedBy, keyedBy, Loader } from './loader.ts'

/** The context of one request. */
export type Api = {
  db: SandboxDatabase
  shop: Shop
  /** The shop's base URL, as the client addressed it. */
  baseUrl: string
  load: Loaders
  /** The shop's time, read once per request. */
  now(): Promise<Temporal.Instant>
  /** Runs a transaction and then clears the loaders' caches. */
  write<T>(work: (q: Queries, now: Temporal.Instant) => Promise<T>): Promise<T>
  /** Set if the script says that this response is lost. */
  connection: { lost: boolean }
}

/** A resolver. The schema guarantees its source and arguments, so each resolver declares their types. */
export type Resolver = (source: never, args: never, api: Api, info: GraphQLResolveInfo) => unknown
export type Resolvers = Record<string, Record<string, Resolver>>

export type Loaders = ReturnType<typeof loadersOf>

function byId<T extends { id: string }>(
  fetch: (q: Queries, storeId: number, ids: string[]) => Promise<T[]>,
  q: Queries,
  storeId: number
) {
  return new Loader<T>(async (ids) => keyedBy(await fetch(q, storeId, ids), 'id'))
}

function by<T extends Record<K, string | null>, K extends keyof T>(
  fetch: (q: Queries, storeId: number, ids: string[]) => Promise<T[]>,
  q: Queries,
  storeId: number,
  key: K
) {
  return new Loader<T[]>(async (ids) => groupedBy<T, K>(await fetch(q, storeId, ids), key))
}

function loadersOf(q: Queries, storeId: number) {
  return {
    customer: byId<Customer>(findCustomers, q, storeId),
    addressesOf: by<CustomerAddress, 'customerId'>(listCustomerAddresses, q, storeId, 'customerId'),
    paymentMethod: byId<PaymentMethod>(findPaymentMethods, q, storeId),
    paymentMethodsOf: by<PaymentMethod, 'customerId'>(listPaymentMethods, q, storeId, 'customerId'),
    contract: byId<Contract>(findContracts, q, storeId),
    contractsOf: by<Contract, 'customerId'>(listContractsOf, q, storeId, 'customerId'),
    attempt: byId<Attempt>(findAttempts, q, storeId),
    attemptsOf: by<Attempt, 'contractId'>(listAttemptsOf, q, storeId, 'contractId'),
    order: byId<Order>(findOrders, q, storeId),
    ordersOfContract: by<Order, 'contractId'>(listOrdersOfContracts, q, storeId, 'contractId'),
    transaction: byId<Transaction>(findTransactions, q, storeId),
    transactionsOf: by<Transaction, 'orderId'>(listTransactions, q, storeId, 'orderId'),
    refund: byId<Refund>(findRefunds, q, storeId),
    refundsOf: by<Refund, 'orderId'>(listRefunds, q, storeId, 'orderId'),
    dispute: byId<Dispute>(findDisputes, q, storeId),
    disputesOf: by<Dispute, 'orderId'>(listDisputesOf, q, storeId, 'orderId'),
    product: byId<Product>(findProducts, q, storeId),
    variant: byId<Variant>(findVariants, q, storeId),
    variantsOf: by<Variant, 'productId'>(listVariants, q, storeId, 'productId'),
    group: byId<SellingPlanGroup>(findGroups, q, storeId),
    plan: byId<SellingPlan>(findPlans, q, storeId),
    plansOf: by<SellingPlan, 'groupId'>(listPlans, q, storeId, 'groupId'),
    metafieldsOf: by<Metafield, 'owner'>(listMetafields, q, storeId, 'owner'),
    creditAccount: byId<CreditAccount>(findCreditAccounts, q, storeId),
    creditAccountsOf: by<CreditAccount, 'customerId'>(listCreditAccounts, q, storeId, 'customerId'),
    discount: byId<Discount>(findDiscounts, q, storeId),
    redeemCode: byId<RedeemCode>(findRedeemCodes, q, storeId),
    codesCount: byId<{ id: string; count: number }>(countCodes, q, storeId),
    segment: byId<Segment>(findSegments, q, storeId),
    giftCard: byId<GiftCard>(findGiftCards, q, storeId),
    collection: byId<Collection>(findCollections, q, storeId)
  }
}

export function apiFor(
  db: SandboxDatabase,
  shop: Shop,
  baseUrl: string,
  clock: (shopDomain: string) => Promise<Temporal.Instant>
): Api {
  let time: Promise<Temporal.Instant> | undefined
  const load = loadersOf(db.direct, shop.storeId)
  const api: Api = {
    db,
    shop,
    baseUrl,
    load,
    connection: { lost: false },
    now: () => (time ??= clock(shop.domain)),
    write: async (work) => {
      const now = await api.now()
      const result = await db.inInstallation((tx) => work(tx, now))
      for (const loader of Object.values(load)) loader.clear()
      return result
    }
  }
  return api
}
