import { realNow } from '#kit/clock'
import { checkSessionToken } from '#platform'
import { findStore } from '#stores'
import type { HttpDeps } from '../shared/deps.ts'
import type { Staff } from './caller.ts'

/** Who of which shop a session token of the platform's admin is of; null when it proves nothing, or the shop has no store here. */
export type FindStaff = (token: string) => Promise<Staff | null>

/** Tokens are signed by the platform with the secret of our app, for a minute. */
export function staffFinder({ db, install, realNow: now = realNow }: HttpDeps): FindStaff {
  return async (token) => {
    const checked = checkSessionToken(token, install.apps, now())
    if (!checked.ok) return null
    const { shop, profile, userId } = checked
    const store = await findStore(db, shop)
    // Another platform may have a shop of this domain.
    if (store?.platformProfile !== profile) return null
    return {
      storeId: store.storeId,
      shop,
      staffId: `staff:${userId ?? 'unknown'}`,
      name: `Staff ${userId ?? 'member'} of ${shop}`
    }
  }
}
