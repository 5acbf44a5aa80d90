import type { IncomingMessage, ServerResponse } from 'node:http'
import type { FastifyBaseLogger } from 'fastify'
import type { AddressRules } from '#kit/addresses'
import type { Measure } from '#kit/metrics'
import type { Database } from '#kit/postgres'
import type { Budget, RateLimiter } from '#kit/rate-limit'
import type { Secret, Vault } from '#kit/secrets'
import type { SettingsSection } from '#kit/settings'
import type { Connector } from '#platform'
import type { RatePlan, StoreAccess } from '#stores'

/** What the surfaces are given. What lies above them (the sandbox, the test clock, the auditor) comes as functions. */
export type HttpDeps = {
  db: Database
  vault: Vault
  limiter: RateLimiter
  /** Requests per window by tariff; the contract's (spec 1, Limits) unless a bench wants to measure more. */
  budgets?: Record<RatePlan, Budget>
  logger: FastifyBaseLogger
  /** Opens the admin surface. */
  operatorToken: Secret
  /** The settings of a store that the admin API shows and changes. */
  settings: readonly SettingsSection[]
  /** Where webhook receivers may stand. */
  addresses: AddressRules
  /** Addresses and networks of proxies before us that are believed when they tell the caller's address. */
  trustedProxies?: string[]
  health: Health
  measure?: Measure
  /** Something was just written in this store that the background should look at. */
  wake(storeId: number): void
  /** The connector to a store's platform. Refuses when the store is disconnected. */
  connectorOf(storeId: number): Promise<Connector>
  /** Registers our webhooks on the store's platform. Repeatable. Refuses when the platform does not take them. */
  connectStore(access: StoreAccess): Promise<void>
  advanceClock(
    storeId: number,
    advance: { by?: string; to?: string }
  ): Promise<{ now: Temporal.Instant; settled: true }>
  /** Does all that is due in the store, deliveries included, and returns then. */
  settle(storeId: number): Promise<void>
  sandbox: SandboxControls
  /** The auditor, over one store or all. */
  doctor(storeId: number | null): Promise<{ checked: Record<string, number>; findings: unknown[]; warnings: unknown[] }>
  seed(
    storeId: number,
    plan: { members: number; months: number },
    onProgress: (progress: Record<string, unknown>) => void
  ): Promise<Record<string, unknown>>
}

type Health = {
  /** Whether requests can be served, with a word on each part when they cannot. */
  ready(): Promise<{ ready: boolean; checks: Record<string, string> }>
  /** Answers `/metrics` in the exporter's own way. */
  metrics(request: IncomingMessage, response: ServerResponse): void
}

/** The scripted life of a sandbox shop. Ids are the platform's numbers as text; money in minor units of the store. */
export type SandboxControls = {
  /** Where the shop of a domain answers. */
  urlOf(domain: string): string
  /** Repeatable: a shop that is there takes the name, zone and secrets given. */
  createShop(shop: StoreAccess & { name: string }): Promise<void>
  createCustomer(
    storeId: number,
    customer: {
      email: string
      firstName: string | null
      lastName: string | null
      countryCode: string | null
      provinceCode: string | null
    }
  ): Promise<{ id: string; gid: string; email: string }>
  join(
    storeId: number,
    requested: { customerId: string; planName: string }
  ): Promise<{ orderId: string; contractId: string }>
  /** Each outcome is for one charge, the last for all that follow. */
  setCard(storeId: number, card: { customerId: string; outcome: string[] }): Promise<void>
  placeOrder(
    storeId: number,
    order: {
      customerId: string
      totalMinor: number
      creditMinor: number
      coupon: string | null
      channel: string | null
    }
  ): Promise<{ id: string; name: string }>
  /** The whole order when no amount is given. */
  refund(storeId: number, refund: { orderId: string; amountMinor: number | null }): Promise<{ id: string }>
  dispute(storeId: number, dispute: { orderId: string; outcome: 'open' | 'won' | 'lost' }): Promise<{ id: string }>
  deleteCustomer(storeId: number, customerId: string): Promise<{ id: string }>
  mergeCustomers(
    storeId: number,
    merge: { customerId: string; intoId: string }
  ): Promise<{ keptId: string; deletedId: string }>
  revokeCard(storeId: number, customerId: string): Promise<{ revoked: number }>
  changeShop(storeId: number, change: { name?: string; timezone?: string }): Promise<void>
  uninstall(storeId: number): Promise<void>
  /** The shop takes the app on again, with this token. */
  install(storeId: number, accessToken: string): Promise<void>
  /** What goes wrong with the shop's webhooks from now on; null: nothing. */
  setWebhookFaults(storeId: number, faults: WebhookFaults | null): Promise<void>
}

/** Shares of messages from 0 to 1. */
export type WebhookFaults = {
  drop?: number
  duplicate?: number
  late?: number
  delayHours?: number
  shuffle?: boolean
  seed?: number
}
