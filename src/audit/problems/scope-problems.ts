import { type Database, int, row, sql, textList } from '#kit/postgres'
import { missingScopes } from '#platform'
import type { Problem } from './problem.ts'

const MAX_STORES = 100

const GrantedScopes = row({ storeId: int, grantedScopes: textList })

/** Connected stores in which the app lacks access scopes that it requests; the first hundred. */
export async function scopeProblems(
  db: Database,
  storeId: number | null,
  domainOf: (storeId: number) => string
): Promise<Problem[]> {
  const stores = await db.inInstallation((tx) =>
    tx.many(
      GrantedScopes,
      sql`
      select store_id, granted_scopes from stores
       where status = 'active' and granted_scopes is not null and (${storeId}::bigint is null or store_id = ${storeId})
       order by store_id`
    )
  )
  return stores
    .map(({ storeId: id, grantedScopes }) => ({ domain: domainOf(id), missing: missingScopes(grantedScopes) }))
    .filter(({ missing }) => missing.length > 0)
    .slice(0, MAX_STORES)
    .map(({ domain, missing }) => ({
      kind: 'scopes_missing',
      store: domain,
      subject: domain,
      since: null,
      message: `The app lacks ${missing.length === 1 ? 'the access scope' : 'the access scopes'} ${missing.join(', ')} in the shop`,
      next: `Open the app in the shop's admin to grant what is missing. perennial platform show --store ${domain} says what has stopped.`
    }))
}
