import { bool, instant, int, nullable, oneOf, type RowOf, row, text } from '#kit/postgres'

/** The tariff of a store: how many requests it may make (spec 1, Limits). */
export const RATE_PLANS = ['starter', 'growth', 'enterprise'] as const
export type RatePlan = (typeof RATE_PLANS)[number]

/** Which platform's spelling a store's platform speaks: `platform` is the sandbox, `shopify` is Shopify. */
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
  /** The test clock; null while the store lives in real time. */
  clockAt: nullable(instant),
  platformProfile: oneOf(...PLATFORM_PROFILES),
  platformUrl: text,
  /** Disconnected: the platform took the app off, or nobody has put it on again yet. */
  status: oneOf('active', 'disconnected'),
  /** When the platform and the store first knew each other; null while making the store is unfinished. */
  connectedAt: nullable(instant),
  createdAt: instant
})
export type Store = RowOf<typeof Store>
