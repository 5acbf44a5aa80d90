import { HOST_NAME } from '#kit/texts'
import type { ProfileName } from '../wire/platform-profiles.ts'

/** Our app as a platform knows it. The secret signs what the platform sends us, and proves to it who asks for a token. */
export type PlatformApp = { clientId: string; clientSecret: string }

/** The app on each platform; null where none is configured. */
export type PlatformApps = Record<ProfileName, PlatformApp | null>

/** Where our app is reached, below its public address. The platform's configuration of the app has the same paths. */
export const APP_PATHS = {
  page: '/app',
  install: '/app/install',
  callback: '/app/callback',
  webhooks: '/platform/webhooks'
} as const

/** The shops of Shopify have no other addresses: anything else in a request is not one of them. */
const SHOPIFY_DOMAIN = /^[a-z0-9][a-z0-9-]{0,59}\.myshopify\.com$/

/** The domain of a shop of this platform, in lower case; null for any other text. It becomes part of addresses that we call. */
export function shopDomain(profile: ProfileName, given: unknown): string | null {
  if (typeof given !== 'string') return null
  const domain = given.toLowerCase()
  return (profile === 'shopify' ? SHOPIFY_DOMAIN : HOST_NAME).test(domain) ? domain : null
}

/** The address of a shop's platform. `sandbox` says where its shops are. */
export const shopUrlOf = (profile: ProfileName, domain: string, sandbox: { urlOf(domain: string): string }): string =>
  profile === 'shopify' ? `https://${domain}` : sandbox.urlOf(domain)
