import { type PlatformApp, type ProfileName, shopDomain } from '#platform'
import type { InstallDeps } from '../shared/deps.ts'

/** The shop that a request is about, and our app on its platform. */
export type ShopOfApp = { profile: ProfileName; shop: string; app: PlatformApp }

/** The shop of a `shop` parameter; null when it names none of a platform on which an app of ours is configured. */
export function shopOfApp({ apps }: Pick<InstallDeps, 'apps'>, given: unknown): ShopOfApp | null {
  for (const profile of ['shopify', 'platform'] as const) {
    const app = apps[profile]
    const shop = app && shopDomain(profile, given)
    if (shop) return { profile, shop, app }
  }
  return null
}
