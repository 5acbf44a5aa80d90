import { request } from 'undici'
import type { PushOutcome } from '../push-outcome.ts'
import type { GoogleCredentials } from './check-google-credentials.ts'
import { signJwt } from './google-pass.ts'

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
  { at, timeoutMs }: { at: Temporal.Instant; timeoutMs: number }
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
    timeoutMs
  })
  if ('problem' in answer) return { ok: false, outcome: { kind: 'failed', problem: answer.problem } }
  const token = tokenIn(answer.body)
  if (answer.status === 200 && token) return { ok: true, token }
  return {
    ok: false,
    outcome: { kind: 'failed', problem: `Google gives no token: its answer has the status ${answer.status}` }
  }
}

/** Writes a pass of Google Wallet anew. One that nobody has added is not there, which is no failure. */
export async function patchGoogleObject(
  object: { id: string },
  token: string,
  { api }: Pick<GoogleUrls, 'api'>,
  { timeoutMs }: { timeoutMs: number }
): Promise<PushOutcome> {
  const answer = await ask(`${api}/walletobjects/v1/genericObject/${encodeURIComponent(object.id)}`, {
    method: 'PATCH',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body: JSON.stringify(object),
    timeoutMs
  })
  if ('problem' in answer) return { kind: 'failed', problem: answer.problem }
  if (answer.status === 200) return { kind: 'done' }
  if (answer.status === 404) return { kind: 'gone' }
  return { kind: 'failed', problem: `Google's answer has the status ${answer.status}` }
}

async function ask(
  url: string,
  {
    timeoutMs,
    ...options
  }: { method: 'POST' | 'PATCH'; headers: Record<string, string>; body: string; timeoutMs: number }
): Promise<{ status: number; body: string } | { problem: string }> {
  try {
    const { statusCode, body } = await request(url, { ...options, signal: AbortSignal.timeout(timeoutMs) })
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
