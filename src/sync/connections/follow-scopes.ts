import type { Ctx, Database } from '#kit/postgres'
import { type Connector, missingScopes, type PlatformResult, REQUESTED_SCOPES, withImpliedScopes } from '#platform'
import { notify, writeGrantedScopes } from '#stores'
import { retryWhatWaits } from './retry-what-waits.ts'

/** Reads which access scopes the app has in a store, and notes them (`noteScopes`). Returns how many have changed. */
export async function followScopes(
  db: Database,
  storeId: number,
  { appInstallation }: Connector
): Promise<PlatformResult<number>> {
  const listed = await appInstallation.scopes()
  if (!listed.ok) return listed
  return { ok: true, value: await db.inStore(storeId, (ctx) => noteScopes(ctx, listed.value)) }
}

/**
 * Remembers the access scopes that the platform lists. Tells the store's people of those that the app has no more, with what stops, and
 * has done what was denied until now. Returns how many have changed.
 */
export async function noteScopes(ctx: Ctx, listed: string[]): Promise<number> {
  const has = withImpliedScopes(listed)
  const listedBefore = await writeGrantedScopes(ctx, listed)
  const before = withImpliedScopes(listedBefore ?? [])
  const lost = missingScopes(listed).filter((scope) => before.has(scope))
  if (lost.length > 0) {
    await notify(ctx, {
      kind: 'scopes_missing',
      subject: 'The app has lost access to a part of the shop',
      message: `${lost.map((scope) => `${scope} is missing: ${REQUESTED_SCOPES[scope].without}`).join('. ')}. Open the app in the shop's admin to grant it again.`
    })
  }
  if (listedBefore !== null && has.difference(before).size > 0) await retryWhatWaits(ctx)
  return listedBefore === null ? 0 : before.symmetricDifference(has).size
}
