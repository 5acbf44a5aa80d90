import type { Ctx } from '#kit/postgres'
import { PROFILES } from '#platform'
import { storeContext } from '#stores'
import type { PageIds, Scope } from '../endpoint.ts'
import { instantLiteral, literal } from '../format-fields.ts'

/** What the SQL of a page is written for, and the shop's time zone. */
export async function scopeOf(ctx: Ctx, page: PageIds): Promise<{ scope: Scope; timeZone: string }> {
  const { timezone, profile, currency } = await storeContext(ctx)
  const within =
    'ids' in page
      ? (column: string) => `${column} = any('{${page.ids.join(',')}}'::bigint[])`
      : (column: string) => `${column} between ${page.from} and ${page.through}`
  const scope = {
    store: String(ctx.storeId),
    now: instantLiteral(ctx.now.toString()),
    zone: literal(timezone),
    gid: literal(PROFILES[profile].gidPrefix),
    currency,
    within
  }
  return { scope, timeZone: timezone }
}
