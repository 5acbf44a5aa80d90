/** What differs between platforms with this API: the spelling of global ids and headers. `platform` is the sandbox, `shopify` is Shopify. */
export type ProfileName = 'platform' | 'shopify'

/** The Admin API version that every document is written for. */
const API_VERSION = '2026-07'
export const ADMIN_PATH = `/admin/api/${API_VERSION}/graphql.json`

type Spelling = { gidPrefix: string; accessTokenHeader: string; webhookHeaderPrefix: string }

export const PROFILES: Record<ProfileName, Spelling> = {
  platform: {
    gidPrefix: 'gid://platform/',
    accessTokenHeader: 'X-Platform-Access-Token',
    webhookHeaderPrefix: 'x-platform-'
  },
  shopify: {
    gidPrefix: 'gid://shopify/',
    accessTokenHeader: 'X-Shopify-Access-Token',
    webhookHeaderPrefix: 'x-shopify-'
  }
}

/** The global id of an object: `gid://platform/Customer/42`. */
export function gid(profile: ProfileName, type: string, id: string): string {
  return `${PROFILES[profile].gidPrefix}${type}/${id}`
}

/**
 * The digits of a global id of either profile, as text because they go beyond 2^53. Null when the text is not such an id; also
 * null for payment methods and manual discounts, whose ids are not numbers.
 */
export function numericIdOf(text: string): string | null {
  return /^gid:\/\/(?:platform|shopify)\/[A-Za-z]+\/([0-9]{1,20})(?:\?.*)?$/.exec(text)?.[1] ?? null
}
