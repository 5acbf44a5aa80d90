import { type Database, instant, int, nullable, row, sql, textList } from '#kit/postgres'
import { missingScopes } from '#platform'
import type { Problem } from './problem.ts'

const MAX_STORES = 100

const GrantedScopes = row({ storeId: int, grantedScopes: textList, lostAt: nullable(instant) })

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
      -- The alert is raised when a scope is lost; without one the app has lacked it from the connection on.
      select s.store_id, s.granted_scopes, coalesce(max(a.created_at), s.connected_at) as lost_at
        from stores s left join alerts a on a.store_id = s.store_id and a.kind = 'scopes_missing'
       where s.status = 'active' and s.granted_scopes is not null and (${storeId}::bigint is null or s.store_id = ${storeId})
       group by s.store_id
       order by s.store_id`
    )
  )
  return stores
    .map(({ storeId: id, grantedScopes, lostAt }) => ({
      domain: domainOf(id),
      missing: missingScopes(grantedScopes),
      lostAt
    }))
    .filter(({ missing }) => missing.length > 0)
    .slice(0, MAX_STORES)
    .map(({ domain, missing, lostAt }) => ({
      kind: 'scopes_missing',
      store: domain,
      subject: domain,
      since: lostAt,
      message: `The app lacks ${missing.length === 1 ? 'the access scope' : 'the access scopes'} ${missing.join(', ')} in the shop`,
      next: `Open the app in the shop's admin to grant what is missing. perennial platform show --store ${domain} says what has stopped.`
    }))
}
