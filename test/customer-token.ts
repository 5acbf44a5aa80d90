import { createHmac } from 'node:crypto'
import { SANDBOX_APP } from './service-builder.ts'

const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')

/** A session token of an extension, as the platform signs it for a customer. */
export function customerToken(claims: object, { secret = SANDBOX_APP.clientSecret, alg = 'HS256' } = {}): string {
  const seconds = Math.floor(Temporal.Now.instant().epochMilliseconds / 1000)
  const usual = { aud: SANDBOX_APP.clientId, exp: seconds + 300, nbf: seconds, iat: seconds, jti: '6c992878' }
  const signed = `${part({ alg, typ: 'JWT' })}.${part({ ...usual, ...claims })}`
  return `${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}`
}
