import { realNow } from '#kit/clock'
import { checkSessionToken } from '#platform'
import { findStore } from '#stores'
import type { HttpDeps } from '../shared/deps.ts'
import type { Staff } from './caller.ts'

/** Who of which shop a session token of the platform's admin is of; null when it proves nothing, or the shop has no store here. */
export type FindStaff = (token: string) => Promise<Staff | null>

const STAFF_ID = /^staff:(.+)$/

export const isStaffId = (id: string): boolean => STAFF_ID.test(id)

/** What histories and the log of changes call one of the people of a shop: the platform tells their number only. */
export function nameOfStaff(staffId: string, shop: string): string {
  const [, userId = 'unknown'] = STAFF_ID.exec(staffId) ?? []
  return `Staff ${userId === 'unknown' ? 'member' : userId} of ${shop}`
}

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
      name: nameOfStaff(`staff:${userId ?? 'unknown'}`, shop)
    }
  }
}
