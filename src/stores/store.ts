import { bool, instant, int, nullable, oneOf, type RowOf, row, text } from '#kit/postgres'

/** The tariff of a store: how many requests it may make (spec 1, Limits). */
export const RATE_PLANS = ['starter', 'growth', 'enterprise'] as const
export type RatePlan = (typeof RATE_PLANS)[number]

/** The wire format of a store's platform: `platform` is the sandbox's, `shopify` is Shopify's. */
export const PLATFORM_PROFILES = ['platform', 'shopify'] as const
export type PlatformProfileName = (typeof PLATFORM_PROFILES)[number]

/** A store, without its secrets. */
export const Store = row({
  storeId: int,
  domain: text,
  name: text,
  timezone: text,
  currency: text,
  ratePlan: oneOf(...RATE_PLANS),
  sandbox: bool,
  /** The test clock; null while the store has real time. */
  clockAt: nullable(instant),
  platformProfile: oneOf(...PLATFORM_PROFILES),
  platformUrl: text,
  /**
   * Disconnected: an operator disconnected it, or the app was uninstalled on the platform, and it is not connected again yet.
   * Deleting: nothing works in it any more, and its rows are being removed.
   */
  status: oneOf('active', 'disconnected', 'deleting'),
  /** When the platform was connected first; null while the store is unfinished. */
  connectedAt: nullable(instant),
  /** Since when it is held because it was restored from a backup; null while it is not (real time). */
  restoredAt: nullable(instant),
  /** Since when the platform has refused the access token, by the store's clock; null while it takes it. */
  tokenRefusedAt: nullable(instant),
  /** Where its platform was told to send webhooks; null before it was. */
  webhooksUrl: nullable(text),
  createdAt: instant
})
export type Store = RowOf<typeof Store>
