import { createHmac } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { sql } from '#kit/postgres'
import type { Platform } from '../http.ts'
import { type IssuedPair, issuePair, refreshPair, useCode } from '../state/oauth-tokens.ts'
import type { SandboxApp } from './app.ts'

const TOKEN_EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange'
const ID_TOKEN = 'urn:ietf:params:oauth:token-type:id_token'

type Body = Partial<Record<string, string>>
type Answer = { pair: IssuedPair; scopes: string[] } | { error: string; description: string; status: number }

/** `POST /admin/oauth/access_token`: an access token for a session token, for a code, or for a refresh token. */
export function tokenEndpoint({ db, shops }: Platform, app: SandboxApp, scope: FastifyInstance): void {
  const refuse = (error: string, description: string, status = 400): Answer => ({ error, description, status })

  async function answer({ shopRequest: { shop } }: FastifyRequest, body: Body): Promise<Answer> {
    const { storeId } = shop
    if (body.client_id !== app.clientId || body.client_secret !== app.clientSecret) {
      return refuse('invalid_client', 'The client id or the client secret is wrong', 401)
    }
    if (body.grant_type === 'refresh_token') {
      const pair = await db.inInstallation((q) => refreshPair(q, storeId, `${body.refresh_token}`))
      return pair
        ? { pair, scopes: shop.accessScopes }
        : refuse('invalid_request', 'This request requires an active refresh_token', 401)
    }
    if (body.expiring !== '1') return refuse('invalid_request', 'Only expiring access tokens are issued')
    if (body.grant_type === TOKEN_EXCHANGE) {
      if (body.subject_token_type !== ID_TOKEN)
        return refuse('invalid_request', 'The subject token type is not supported')
      if (!isOwnSessionToken(app, shop.domain, `${body.subject_token}`)) {
        return refuse('invalid_subject_token', 'The subject token is not valid')
      }
      return { pair: await db.inInstallation((q) => issuePair(q, storeId)), scopes: shop.accessScopes }
    }
    const scopes = await db.inInstallation((q) => useCode(q, storeId, `${body.code}`))
    if (!scopes) return refuse('invalid_request', 'The authorization code was not found or was already used')
    const pair = await db.inInstallation(async (q) => {
      await q.run(sql`update sandbox.shops set access_scopes = ${scopes} where store_id = ${storeId}`)
      return issuePair(q, storeId)
    })
    return { pair, scopes }
  }

  scope.post('/admin/oauth/access_token', async (request: FastifyRequest, reply: FastifyReply) => {
    const given = (request.body ?? {}) as Body
    const answered = await answer(request, given)
    shops.forget(request.shopRequest.shop.storeId)
    if ('error' in answered) {
      return reply.code(answered.status).send({ error: answered.error, error_description: answered.description })
    }
    const { pair, scopes } = answered
    return {
      access_token: pair.accessToken,
      scope: scopes.join(','),
      expires_in: pair.expiresIn,
      refresh_token: pair.refreshToken,
      refresh_token_expires_in: pair.refreshExpiresIn
    }
  })
}

function isOwnSessionToken({ clientId, clientSecret }: SandboxApp, domain: string, token: string): boolean {
  const [head, payload, signature] = token.split('.')
  if (createHmac('sha256', clientSecret).update(`${head}.${payload}`).digest('base64url') !== signature) return false
  const { aud, dest, exp } = JSON.parse(Buffer.from(payload!, 'base64url').toString()) as Record<string, unknown>
  const seconds = Temporal.Now.instant().epochMilliseconds / 1000
  return aud === clientId && dest === `https://${domain}` && typeof exp === 'number' && exp > seconds
}
