/**
 * What differs between platforms with this API: the spelling of global ids and headers. `platform` is the sandbox, `shopify` is
 * Shopify.
 */
export type ProfileName = 'platform' | 'shopify'

/** The Admin API version that every document is written for, and the only place that names it. */
export const API_VERSION = '2026-07'
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
