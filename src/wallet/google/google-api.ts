import { request } from 'undici'
import type { PushOutcome } from '../push-outcome.ts'
import type { GoogleCredentials } from './check-google-credentials.ts'
import { type GoogleObject, signJwt } from './google-pass.ts'

/** Where Google's API is, and where its tokens come from. */
export type GoogleUrls = { api: string; token: string }

export const GOOGLE_URLS: GoogleUrls = {
  api: 'https://walletobjects.googleapis.com',
  token: 'https://oauth2.googleapis.com/token'
}

const SCOPE = 'https://www.googleapis.com/auth/wallet_object.issuer'
const TOKEN_SECONDS = 3600
const MAX_ANSWER_BYTES = 64 * 1024

/** A token for the API of the service account (RFC 7523); why there is none, where it is refused. */
export async function googleToken(
  credentials: GoogleCredentials,
  { token: url }: Pick<GoogleUrls, 'token'>,
  { at, signal }: { at: Temporal.Instant; signal: AbortSignal }
): Promise<{ ok: true; token: string } | { ok: false; outcome: PushOutcome }> {
  const iat = Math.floor(at.epochMilliseconds / 1000)
  const assertion = signJwt(credentials, {
    iss: credentials.email,
    scope: SCOPE,
    aud: url,
    iat,
    exp: iat + TOKEN_SECONDS
  })
  const answer = await ask(url, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer', assertion }).toString(),
    signal
  })
  if ('problem' in answer) return { ok: false, outcome: { kind: 'failed', problem: answer.problem } }
  const token = tokenIn(answer.body)
  if (answer.status === 200 && token) return { ok: true, token }
  return {
    ok: false,
    outcome: { kind: 'failed', problem: `Google gives no token: its answer has the status ${answer.status}` }
  }
}

type Access = { token: string; api: string; signal: AbortSignal }

/**
 * Writes a whole pass of Google Wallet, so that nothing of before stays in it. One that Google does not have is made; where it is void, there
 * is nothing to make.
 */
export async function writeGoogleObject(object: GoogleObject, access: Access): Promise<PushOutcome> {
  const replace = () =>
    write('PUT', `genericObject/${encodeURIComponent(object.id)}`, object, access, { accepted: [404] })
  const replaced = await replace()
  if (replaced !== 404 || object.state === 'INACTIVE') return outcomeOf(replaced)
  const insert = (accepted: number[]) => write('POST', 'genericObject', object, access, { accepted })
  const inserted = await insert([409, 400, 404])
  if (inserted === 409) return outcomeOf(await replace())
  if (inserted !== 400 && inserted !== 404) return outcomeOf(inserted)
  // The first pass of the issuer: what passes have in common is not there yet.
  const made = await write('POST', 'genericClass', { id: object.classId }, access, { accepted: [409] })
  if (typeof made === 'string') return outcomeOf(made)
  const again = await insert([409])
  return outcomeOf(again === 409 ? await replace() : again)
}

const outcomeOf = (written: number | string): PushOutcome =>
  typeof written === 'number' ? { kind: 'done' } : { kind: 'failed', problem: written }

/** The status of Google's answer where it is 200 or one of `accepted`; else what is wrong. */
async function write(
  method: 'POST' | 'PUT',
  path: string,
  body: object,
  { token, api, signal }: Access,
  { accepted }: { accepted: number[] }
): Promise<number | string> {
  const answer = await ask(`${api}/walletobjects/v1/${path}`, {
    method,
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body: JSON.stringify(body),
    signal
  })
  if ('problem' in answer) return answer.problem
  const { status } = answer
  return status === 200 || accepted.includes(status) ? status : `Google's answer has the status ${status}`
}

async function ask(
  url: string,
  options: { method: 'POST' | 'PUT'; headers: Record<string, string>; body: string; signal: AbortSignal }
): Promise<{ status: number; body: string } | { problem: string }> {
  try {
    const { statusCode, body } = await request(url, options)
    const chunks: Buffer[] = []
    let size = 0
    for await (const chunk of body as AsyncIterable<Buffer>) {
      size += chunk.length
      if (size > MAX_ANSWER_BYTES) return { problem: `Google's answer has more than ${MAX_ANSWER_BYTES} bytes` }
      chunks.push(chunk)
    }
    return { status: statusCode, body: Buffer.concat(chunks).toString() }
  } catch (err) {
    return { problem: `Google did not answer: ${(err as Error).message}` }
  }
}

function tokenIn(body: string): string | null {
  try {
    const { access_token: token } = JSON.parse(body) as { access_token?: unknown }
    return typeof token === 'string' && /^[\x21-\x7e]{1,4096}$/.test(token) ? token : null
  } catch {
    return null
  }
}
