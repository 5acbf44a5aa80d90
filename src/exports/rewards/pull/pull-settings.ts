import { type AddressRules, resolvedProblem, rulesFor, urlProblem } from '#kit/addresses'
import { bool, bytes, type Ctx, type Database, instant, int, nullable, row, sql, text } from '#kit/postgres'
import { invalidField } from '#kit/refusal'
import type { Vault } from '#kit/secrets'
import { realTimeOf } from './real-time.ts'

/**
 * From where balances are pulled. What is left out stays, except for `authorization`, the value of the header: without it a change of the
 * URL clears it, so that a secret goes to no other address than it was given for. Null clears it too.
 */
export type PullChange = { url?: string; everyMinutes?: number; authorization?: string | null }

const DEFAULT_EVERY_MINUTES = 60
/** Of RFC 9110: visible characters, and blanks between them. */
const HEADER_VALUE = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/
const MAX_HEADER = 4000
/** What is added to the URL. */
const OURS = ['limit', 'cursor']

/** For which purpose an authorization is sealed: bound to the URL, so that it opens for no other one. */
export const authorizationPurpose = (storeId: number, key: string, url: string) =>
  `reward_pulls.sealed_authorization:${storeId}:${key}:${url}`

/**
 * Refuses what no pull can have. It has the database as an argument and not a transaction, since it resolves the name in the URL and no
 * transaction should wait for the DNS. Returns the URL as it is stored.
 */
export async function checkPullChange(
  db: Database,
  storeId: number,
  change: PullChange,
  { addresses }: { addresses: AddressRules }
): Promise<PullChange> {
  const { url, authorization } = change
  if (typeof authorization === 'string' && (authorization.length > MAX_HEADER || !HEADER_VALUE.test(authorization))) {
    throw invalidField(
      'pull.authorization',
      `must be the value of a header: 1 to ${MAX_HEADER} visible ASCII characters, and blanks between them`
    )
  }
  if (url === undefined) return change
  const store = await db.inStore(storeId, readStoreKind)
  const rules = rulesFor(store, addresses)
  const problem = urlProblem(url, rules) ?? parameterProblem(url) ?? (await resolvedProblem(url, rules))
  if (problem) throw invalidField('pull.url', problem)
  return { ...change, url: new URL(url).href }
}

function parameterProblem(url: string): string | null {
  const taken = OURS.find((name) => new URL(url).searchParams.has(name))
  return taken ? `must not have the parameter ${taken}, which is added to it` : null
}

function readStoreKind(ctx: Ctx) {
  return ctx.tx.one(row({ sandbox: bool }), sql`select sandbox from stores where store_id = ${ctx.storeId}`)
}

const StoredPull = row({
  url: text,
  everyMinutes: int,
  sealedAuthorization: nullable(bytes),
  nextAt: nullable(instant)
})

/**
 * Changes the pull of an integration, whose row the caller has locked, by what was checked; null removes it. With another URL or
 * authorization it begins anew, at once. While the integration is inactive, it rests.
 */
export async function applyPullChange(
  ctx: Ctx,
  { key, isActive }: { key: string; isActive: boolean },
  change: PullChange | null | undefined,
  { vault }: { vault: Vault }
): Promise<void> {
  const { storeId } = ctx
  if (change === null) {
    await ctx.tx.run(sql`delete from reward_pulls where store_id = ${storeId} and key = ${key}`)
    return
  }
  const before = await ctx.tx.maybeOne(
    StoredPull,
    sql`
    select url, every_minutes, sealed_authorization, next_at from reward_pulls
     where store_id = ${storeId} and key = ${key} for update`
  )
  const isToggled = before !== null && (before.nextAt !== null) !== isActive
  if (change === undefined) return isToggled ? beginAnew(ctx, key, isActive) : undefined
  const url = change.url ?? before?.url
  if (url === undefined) throw invalidField('pull.url', 'is missing: the integration has none yet', 'required')
  const { authorization } = change
  const isOther = url !== before?.url
  const everyMinutes = change.everyMinutes ?? before?.everyMinutes ?? DEFAULT_EVERY_MINUTES
  const kept = isOther || authorization === null ? null : before.sealedAuthorization
  const sealed =
    typeof authorization === 'string' ? vault.seal(authorizationPurpose(storeId, key, url), authorization) : kept
  await ctx.tx.run(sql`
    insert into reward_pulls (store_id, key, url, every_minutes, sealed_authorization)
    values (${storeId}, ${key}, ${url}, ${everyMinutes}, ${sealed})
    on conflict (store_id, key) do update
      set url = excluded.url, every_minutes = excluded.every_minutes, sealed_authorization = excluded.sealed_authorization`)
  if (isOther || isToggled || authorization !== undefined) return beginAnew(ctx, key, isActive)
  // Oftener from now on, and not only after the time that was set before.
  const within = realTimeOf(ctx).add({ minutes: everyMinutes })
  await ctx.tx.run(sql`
    update reward_pulls set next_at = ${within} where store_id = ${storeId} and key = ${key} and next_at > ${within}`)
}

/** What is under way does not count any more. */
async function beginAnew(ctx: Ctx, key: string, isActive: boolean): Promise<void> {
  await ctx.tx.run(sql`
    update reward_pulls
       set next_at = ${isActive ? realTimeOf(ctx) : null}, page_after = null, pages = 0, received = 0, stored = 0, unknown = 0,
           started_at = null, failures = 0, last_error = null, failing_since = null, lease_token = lease_token + 1, lease_owner = null,
           leased_until = null
     where store_id = ${ctx.storeId} and key = ${key}`)
}
