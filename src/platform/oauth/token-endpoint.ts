import { parseStorableJson } from '#kit/storable-json'
import { Fields, MalformedPayload } from '../wire/fields.ts'
import { failed, type PlatformResult, succeeded } from '../wire/outcome.ts'
import { type Exchange, type PostOptions, post } from '../wire/transport.ts'
import type { PlatformApp } from './apps.ts'

/** What the platform issued: an access token, and what belongs to it. */
export type IssuedTokens = {
  accessToken: string
  /** Null: it does not expire. */
  expiresInSeconds: number | null
  refreshToken: string | null
  refreshExpiresInSeconds: number | null
  scopes: string[] | null
}

/** What a token is asked for with. */
export type Grant =
  /** The session token of our page in the platform's admin. */
  | { kind: 'session_token'; token: string }
  /** The code with which the platform sends a person back who has agreed. */
  | { kind: 'code'; code: string }
  | { kind: 'refresh_token'; token: string }

const TOKEN_PATH = '/admin/oauth/access_token'
const TOKEN_EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange'
const ID_TOKEN = 'urn:ietf:params:oauth:token-type:id_token'
const OFFLINE_TOKEN = 'urn:shopify:params:oauth:token-type:offline-access-token'
/** For an answer that names a refresh token and forgets to say when the access token ends. */
const USUAL_LIFE_SECONDS = 3600
/** Shorter than the lease on a refresh. */
const TIMEOUT_MS = 20_000

/**
 * Asks a shop's platform for an access token of ours that expires. `rejected` is the platform's definite refusal, with its `error` as
 * the code (`invalid_grant`). An answer may be lost after the platform has issued a token: Shopify takes the same refresh token again
 * until the one that replaced it is used, for at most 30 days.
 */
export async function requestToken(
  shopUrl: string,
  { clientId, clientSecret }: PlatformApp,
  grant: Grant,
  { timeoutMs = TIMEOUT_MS, ...options }: Partial<PostOptions> = {}
): Promise<PlatformResult<IssuedTokens>> {
  const body = JSON.stringify({ client_id: clientId, client_secret: clientSecret, ...parametersOf(grant) })
  const headers = { 'content-type': 'application/json', accept: 'application/json' }
  const url = new URL(shopUrl.replace(/\/+$/, '') + TOKEN_PATH).href
  return readTokens(await post(url, headers, body, { timeoutMs, ...options }))
}

/** Other statuses pass: a shop that has not paid its bill answers 402, one that is locked 423. */
const REFUSALS = new Set([400, 401, 403])

function parametersOf(grant: Grant): Record<string, string> {
  if (grant.kind === 'refresh_token') return { grant_type: 'refresh_token', refresh_token: grant.token }
  if (grant.kind === 'code') return { code: grant.code, expiring: '1' }
  return {
    grant_type: TOKEN_EXCHANGE,
    subject_token: grant.token,
    subject_token_type: ID_TOKEN,
    requested_token_type: OFFLINE_TOKEN,
    expiring: '1'
  }
}

function readTokens(exchange: Exchange): PlatformResult<IssuedTokens> {
  if (!exchange.answered) return failed({ kind: 'unavailable', message: `The platform ${exchange.message}` })
  const { status, body } = exchange
  const answer = fieldsOf(body)
  if (REFUSALS.has(status)) {
    const textOf = (field: string) => {
      const value = answer?.has(field) ? answer.raw(field) : null
      return typeof value === 'string' ? value.slice(0, 300) : null
    }
    const code = textOf('error') ?? `${status}`
    const why = textOf('error_description') ?? textOf('errors')
    const message = `The platform issues no access token: ${why ?? code}`
    return failed({ kind: 'rejected', code, message })
  }
  if (status !== 200 || !answer) {
    return failed({
      kind: 'unavailable',
      code: `${status}`,
      message: `The platform's token endpoint answered ${status}`
    })
  }
  try {
    const refreshToken = answer.maybeText('refresh_token') || null
    const secondsOf = (field: string) => (answer.has(field) ? answer.int(field) : null)
    return succeeded({
      accessToken: answer.text('access_token'),
      expiresInSeconds: secondsOf('expires_in') ?? (refreshToken === null ? null : USUAL_LIFE_SECONDS),
      refreshToken,
      refreshExpiresInSeconds: secondsOf('refresh_token_expires_in'),
      scopes:
        answer
          .maybeText('scope')
          ?.split(',')
          .flatMap((scope) => scope.trim() || []) ?? null
    })
  } catch (err) {
    if (!(err instanceof MalformedPayload)) throw err
    return failed({ kind: 'unavailable', message: `The platform's token cannot be understood: ${err.message}` })
  }
}

function fieldsOf(body: string): Fields | null {
  try {
    const parsed = parseStorableJson(body)
    return typeof parsed === 'object' && parsed !== null ? new Fields(parsed, 'answer') : null
  } catch {
    // A gateway's page, for instance: the status says enough.
    return null
  }
}
