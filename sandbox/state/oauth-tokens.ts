import { randomBytes } from 'node:crypto'
import { bytes, nullable, type Queries, row, sql, textList } from '#kit/postgres'
import { hashToken } from '../shop.ts'

export type IssuedPair = { accessToken: string; refreshToken: string; expiresIn: number; refreshExpiresIn: number }

const LIFE_SECONDS = 3_600
const REFRESH_LIFE_SECONDS = 90 * 86_400
/** For so long after its first use a refresh token is good, as long as the one that replaced it was not used. */
const AGAIN_SECONDS = 30 * 86_400
const CODE_SECONDS = 600

const random = (prefix: string) => prefix + randomBytes(24).toString('hex')

/** Issues the first pair to whoever has proved that a person wants it. Earlier pairs of the shop end. */
export async function issuePair(q: Queries, storeId: number): Promise<IssuedPair> {
  await endTokens(q, storeId)
  return insertPair(q, storeId, null)
}

async function insertPair(q: Queries, storeId: number, parent: Buffer | null): Promise<IssuedPair> {
  const pair = { accessToken: random('shpat_'), refreshToken: random('shprt_') }
  await q.run(sql`
    insert into sandbox.oauth_tokens (store_id, token_hash, expires_at, refresh_hash, refresh_expires_at, parent_hash)
    values (${storeId}, ${hashToken(pair.accessToken)}, statement_timestamp() + ${LIFE_SECONDS} * interval '1 second',
            ${hashToken(pair.refreshToken)}, statement_timestamp() + ${REFRESH_LIFE_SECONDS} * interval '1 second', ${parent})`)
  return { ...pair, expiresIn: LIFE_SECONDS, refreshExpiresIn: REFRESH_LIFE_SECONDS }
}

/**
 * Issues the pair after this refresh token; null when that is not active. The access token before ends at once. The same refresh
 * token may be used again until the one that replaced it is: an answer can be lost. Only the last pair is good then.
 */
export async function refreshPair(q: Queries, storeId: number, refreshToken: string): Promise<IssuedPair | null> {
  const used = await q.maybeOne(
    row({ tokenHash: bytes, parentHash: nullable(bytes) }),
    sql`update sandbox.oauth_tokens
           set expires_at = least(expires_at, statement_timestamp()), refresh_used_at = coalesce(refresh_used_at, statement_timestamp())
         where store_id = ${storeId} and refresh_hash = ${hashToken(refreshToken)} and refresh_expires_at > statement_timestamp()
           and (refresh_used_at is null or refresh_used_at > statement_timestamp() - ${AGAIN_SECONDS} * interval '1 second')
        returning token_hash, parent_hash`
  )
  if (!used) return null
  if (used.parentHash) await endRefresh(q, storeId, used.parentHash)
  await q.run(sql`
    update sandbox.oauth_tokens set expires_at = statement_timestamp(), refresh_expires_at = statement_timestamp()
     where store_id = ${storeId} and parent_hash = ${used.tokenHash}`)
  return insertPair(q, storeId, used.tokenHash)
}

const endRefresh = (q: Queries, storeId: number, tokenHash: Buffer) =>
  q.run(sql`update sandbox.oauth_tokens set refresh_expires_at = statement_timestamp()
             where store_id = ${storeId} and token_hash = ${tokenHash}`)

/** Ends the access tokens of a shop, and unless `keepRefresh` their refresh tokens too. */
export async function endTokens(q: Queries, storeId: number, { keepRefresh = false } = {}): Promise<void> {
  await q.run(sql`
    update sandbox.oauth_tokens
       set expires_at = least(expires_at, statement_timestamp()),
           refresh_expires_at = case when ${keepRefresh} then refresh_expires_at else least(refresh_expires_at, statement_timestamp()) end
     where store_id = ${storeId}`)
}

/** Whether the token endpoint has issued this access token for the shop, whatever became of it. */
export async function isIssued(q: Queries, storeId: number, accessToken: string): Promise<boolean> {
  const rows = await q.run(
    sql`select from sandbox.oauth_tokens where store_id = ${storeId} and token_hash = ${hashToken(accessToken)}`
  )
  return rows > 0
}

/** A code with which the app may ask for a token once, of a person who has agreed to these scopes. */
export async function issueCode(q: Queries, storeId: number, scopes: string[]): Promise<string> {
  const code = random('')
  await q.run(sql`
    insert into sandbox.oauth_codes (store_id, code_hash, scopes, expires_at)
    values (${storeId}, ${hashToken(code)}, ${scopes}, statement_timestamp() + ${CODE_SECONDS} * interval '1 second')`)
  return code
}

/** The scopes that a code is for, which is used up; null for any other text. */
export async function useCode(q: Queries, storeId: number, code: string): Promise<string[] | null> {
  const used = await q.maybeOne(
    row({ scopes: textList }),
    sql`delete from sandbox.oauth_codes
         where store_id = ${storeId} and code_hash = ${hashToken(code)} and expires_at > statement_timestamp()
        returning scopes`
  )
  return used?.scopes ?? null
}
