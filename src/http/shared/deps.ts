import type { IncomingMessage, ServerResponse } from 'node:http'
import type { FastifyBaseLogger } from 'fastify'
import type { Status } from '#audit'
import type { ExportWorkersOptions, PageCacheOptions } from '#exports'
import type { AddressRules } from '#kit/addresses'
import type { SettingsSection } from '#kit/define-settings'
import type { Measure } from '#kit/metrics'
import type { Database } from '#kit/postgres'
import type { Secret, Vault } from '#kit/secrets'
import type { ReceiptFiles } from '#loyalty'
import type { Connector, Connectors, PlatformApps, PlatformResult, WebhookSubscriptionState } from '#platform'
import type { RatePlan, Store, StoreAccess } from '#stores'
import type { WalletUrls } from '#wallet'
import type { Budget } from '../rate-limits/budgets.ts'
import type { RateLimiter } from '../rate-limits/rate-limiter.ts'

/** What the surfaces need. Parts that they must not import (the sandbox, the test clock, the auditor) are functions here. */
export type HttpDeps = {
  db: Database
  vault: Vault
  limiter: RateLimiter
  /** How many exports run at once and how long, where that is not as in the service. */
  exportOptions?: Omit<ExportWorkersOptions, 'url'>
  /** How much of the pages is kept, where that is not as in the service. */
  pageCacheOptions?: Pick<PageCacheOptions, 'maxBytes' | 'folder'>
  /** How long a dump of the Collection API may take; 9 seconds when left out. */
  dumpWithinMs?: number
  /** Requests per window and plan: those of the contract (spec 1, Limits), unless a bench measures more. */
  budgets?: Record<RatePlan, Budget>
  /** Where the files for storefronts were built; where `npm ci` puts them when left out. */
  builtFiles?: string
  /** Where the admin interface was built; where `npm ci` puts it when left out. */
  builtInterface?: string
  logger: FastifyBaseLogger
  /** Gives full rights in the admin API. */
  operatorToken: Secret
  /** The settings of a store that the admin API shows and changes. */
  settings: readonly SettingsSection[]
  /** Which addresses webhooks may be sent to. */
  addresses: AddressRules
  /** Addresses and networks of proxies in front of us whose `X-Forwarded-For` is trusted. */
  trustedProxies?: string[]
  /** Of all bodies in memory at once; 64 MiB when left out. */
  maxBodyBytesInFlight?: number
  /** How long requests may take; 9.5 seconds when left out. */
  answeredWithinMs?: number
  health: Health
  /** The database's real time, by which signatures are judged; this machine's when left out. */
  realNow?: () => Temporal.Instant
  /** Whether this machine's clock and the database's agree, so that webhooks may be signed; left out: they do. */
  maySign?: () => boolean
  measure?: Measure
  /** Starts background work in this store that a write has made due. */
  wake(storeId: number): void
  /** Whether mail to customers of a store can be sent. */
  canMail(storeId: number): Promise<boolean>
  /** Where wallets of phones are notified; at Apple and Google when left out. */
  walletUrls?: WalletUrls | undefined
  receiptFiles: ReceiptFiles
  /** The connector to a store's platform. Refuses when the store is disconnected. */
  connectorOf(storeId: number): Promise<Connector>
  /** Registers our webhooks on the store's platform. Safe to repeat. Refuses when the platform does not accept them. */
  connectStore(access: StoreAccess): Promise<void>
  /** How our app is installed and how its connections are looked at. */
  install: InstallDeps
  /** Ends the work with a store's platform, keeps all data, and erases the token. */
  leavePlatform(storeId: number): Promise<{ webhooksRemoved: boolean }>
  /** Deletes a store with everything that it has; `name` must be its name. False: it goes on in the background. */
  deleteStore(store: Store, name: string): Promise<{ deleted: boolean }>
  advanceClock(
    storeId: number,
    advance: { by?: string; to?: string }
  ): Promise<{ from: Temporal.Instant; now: Temporal.Instant; settled: true }>
  /** Runs everything that is due in the store, deliveries included. Returns when it is done. */
  settle(storeId: number): Promise<void>
  sandbox: SandboxControls
  /** Checks the auditor's rules in one store, or in all of them. */
  doctor(storeId: number | null): Promise<{
    checked: Record<string, number>
    findings: unknown[]
    warnings: unknown[]
    not_checked: unknown[]
  }>
  /** What does not work in one store, or in all of them. */
  status(storeId: number | null): Promise<Status>
  seed(
    storeId: number,
    plan: { members: number; months: number },
    onProgress: (progress: Record<string, unknown>) => void
  ): Promise<Record<string, unknown>>
}

export type InstallDeps = {
  /** Our app on each platform; null where none is configured. */
  apps: PlatformApps
  /** Whether shops are asked for orders older than 60 days. */
  allOrders: boolean
  /** Where people and platforms reach the service. */
  publicUrl: () => string
  connectors: Pick<Connectors, 'tryOut'>
  /** Corrects our webhooks, the scopes and the shop that we know of; returns how many things were wrong. */
  checkConnection(storeId: number): Promise<PlatformResult<{ changed: number }>>
  lookAtWebhooks(storeId: number): Promise<PlatformResult<WebhookSubscriptionState[]>>
}

type Health = {
  /** Whether requests can be served, and the state of each part. */
  ready(): Promise<{ ready: boolean; checks: Record<string, string> }>
  /** Answers `/metrics` in the exporter's own way. */
  metrics(request: IncomingMessage, response: ServerResponse): void
}

/** What the platform calls the kinds and states of a dispute, and the reasons for a cancellation. */
export const DISPUTE_TYPES = ['chargeback', 'inquiry'] as const
export const DISPUTE_STATUSES = [
  'needs_response',
  'under_review',
  'won',
  'lost',
  'accepted',
  'prevented',
  'charge_refunded'
] as const
export const CANCEL_REASONS = ['customer', 'declined', 'fraud', 'inventory', 'staff', 'other'] as const
export const CANCEL_REFUNDS = ['none', 'credit', 'all'] as const
type DisputeType = (typeof DISPUTE_TYPES)[number]
type DisputeStatus = (typeof DISPUTE_STATUSES)[number]
type CancelReason = (typeof CANCEL_REASONS)[number]
type CancelRefund = (typeof CANCEL_REFUNDS)[number]

/** Scripts a sandbox shop. Ids are the platform's numbers as text; amounts are minor units of the store's currency. */
export type SandboxControls = {
  /** The address of the shop with this domain. */
  urlOf(domain: string): string
  /** Safe to repeat: an existing shop gets this name, time zone and these secrets. */
  createShop(shop: StoreAccess & { name: string }): Promise<void>
  createCustomer(
    storeId: number,
    customer: {
      email: string
      firstName: string | null
      lastName: string | null
      phone?: string | null
      countryCode: string | null
      provinceCode: string | null
    }
  ): Promise<{ id: string; gid: string; email: string }>
  join(
    storeId: number,
    requested: { customerId: string; planName: string }
  ): Promise<{ orderId: string; contractId: string }>
  /** Each outcome is for one charge; the last is for all that follow. */
  setCard(storeId: number, card: { customerId: string; outcome: string[] }): Promise<void>
  placeOrder(
    storeId: number,
    order: {
      customerId: string
      /** Null for a cart with lines. */
      totalMinor: number | null
      /** Variants by their SKU or number, and plans by their name. */
      lines?: ({ variant: string; quantity?: number } | { plan: string })[]
      creditMinor: number
      giftCard?: string | null
      codes?: string[]
      /** What a discount function of an app takes off. */
      appDiscount?: { title: string; amount: string } | null
      country?: string | null
      province?: string | null
      street?: string | null
      billingCountry?: string | null
      attributes?: { name: string; value: string }[]
      note?: string | null
      shippingMinor?: number
      taxPercent?: number | null
      taxesIncluded?: boolean | null
      channel?: string | null
    }
  ): Promise<{ id: string; name: string }>
  setAccount(
    storeId: number,
    account: { customerId: string; state: 'enabled' | 'disabled' | 'invited' | 'declined' }
  ): Promise<{ id: string }>
  /** `phone`: the one that is entered with it, where they have none. */
  setConsent(
    storeId: number,
    consent: {
      customerId: string
      channel: 'email' | 'sms'
      state: 'subscribed' | 'unsubscribed' | 'pending'
      phone: string | null
    }
  ): Promise<{ id: string }>
  setTags(storeId: number, tags: { customerId: string; add: string[]; remove: string[] }): Promise<{ id: string }>
  /** Refunds the whole order when there is no amount. */
  refund(storeId: number, refund: { orderId: string; amountMinor: number | null }): Promise<{ id: string }>
  dispute(
    storeId: number,
    dispute: { orderId: string; type: DisputeType | null; status: DisputeStatus | null }
  ): Promise<{ id: string; type: string; status: string }>
  cancelOrder(
    storeId: number,
    cancellation: { orderId: string; reason: CancelReason; refund: CancelRefund }
  ): Promise<{ id: string; refundId: string | null }>
  /** Sends a webhook of the platform with any body. Without `webhookId` it has a new one. */
  sendMessage(
    storeId: number,
    message: { topic: string; body: string; webhookId: string | null; at: Temporal.Instant | null }
  ): Promise<{ webhookId: string }>
  deleteCustomer(storeId: number, customerId: string): Promise<{ id: string }>
  mergeCustomers(
    storeId: number,
    merge: { customerId: string; intoId: string }
  ): Promise<{ keptId: string; deletedId: string }>
  revokeCard(storeId: number, customerId: string): Promise<{ revoked: number }>
  changeShop(storeId: number, change: { name?: string; timezone?: string }): Promise<void>
  uninstall(storeId: number): Promise<void>
  /** Installs the app again, with this token. */
  install(storeId: number, accessToken: string): Promise<void>
  /** Opens a shop that has not installed the app. */
  openShop(shop: { domain: string; name: string; timezone: string; currency: string }): Promise<{ domain: string }>
  /** Ends the app's access token in the shop: as an hour does, or with its refresh token. */
  endToken(storeId: number, how: 'expire' | 'revoke'): Promise<void>
  /** Gives the app these access scopes. */
  changeScopes(storeId: number, scopes: string[]): Promise<void>
  /** Sets what goes wrong with the shop's webhooks from now on; null ends it. */
  setWebhookFaults(storeId: number, faults: WebhookFaults | null): Promise<void>
  /** Sets what goes wrong with the shop's charges from now on; null ends it. */
  setChargeFaults(storeId: number, faults: ChargeFaults | null): Promise<void>
}

/** Shares of charges from 0 to 1. */
export type ChargeFaults = {
  paysAgain?: boolean
  keyMinutes?: number
  renumbers?: boolean
  never?: number
  late?: number
  reversed?: number
  corrected?: number
  reportedFailed?: number
  seed?: number
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
