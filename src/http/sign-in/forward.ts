import type { FastifyReply, FastifyRequest } from 'fastify'
import type { RefusalCode } from '#kit/refusal'
import { ADDRESS_HEADER, SIGN_IN_PATH, type SignIn } from '#team'
import { SignInRefused, TriedTooOften } from './refused.ts'

const CODES: Record<number, RefusalCode> = {
  400: 'invalid_request',
  401: 'authentication_failed',
  403: 'forbidden',
  404: 'not_found',
  409: 'conflict'
}
const TRIED_TOO_OFTEN = 429
/** Sentences of the library that do not say what to do. */
const CLEARER: Record<string, string> = {
  'Session is not fresh': 'For this you must have signed in within the last day: sign out, sign in and try again'
}
/** Of these headers the library learns; it believes nothing else that a client says. */
const HEADERS = ['cookie', 'user-agent'] as const

/**
 * Has the library for signing in answer a request. A session is in a cookie alone: its token, which the library also puts into bodies, is
 * taken out of them, so that no script of a page has it. Throws what the library refuses.
 */
export async function forward(
  { signIn, publicUrl }: { signIn: SignIn; publicUrl: string },
  request: FastifyRequest,
  reply: FastifyReply,
  given: { path: string; body: unknown }
): Promise<unknown> {
  const { origin } = new URL(publicUrl)
  const headers = new Headers({ origin, [ADDRESS_HEADER]: request.ip, 'content-type': 'application/json' })
  for (const name of HEADERS) if (request.headers[name]) headers.set(name, request.headers[name])
  const { method } = request
  const body = method === 'POST' ? JSON.stringify(given.body ?? {}) : null
  const response = await signIn.respond(new Request(`${origin}${SIGN_IN_PATH}${given.path}`, { method, headers, body }))
  const text = await response.text()
  const answer = text === '' ? null : (JSON.parse(text) as Record<string, unknown> | null)
  if (!response.ok) throw refusalOf(response.status, answer)
  for (const cookie of response.headers.getSetCookie()) reply.header('set-cookie', cookie)
  reply.code(200)
  return Array.isArray(answer) ? answer : withoutToken(answer ?? {})
}

function withoutToken({ token: _, session: _session, ...rest }: Record<string, unknown>): Record<string, unknown> {
  return rest
}

function refusalOf(status: number, answer: Record<string, unknown> | null): Error {
  const given = typeof answer?.message === 'string' ? answer.message : 'This was refused'
  const message = CLEARER[given] ?? given
  const reason = typeof answer?.code === 'string' ? answer.code.toLowerCase() : null
  if (status === TRIED_TOO_OFTEN) return new TriedTooOften(message, reason)
  const code = CODES[status]
  return code
    ? new SignInRefused(code, message, reason)
    : new Error(`The library for signing in answered ${status}: ${message}`)
}
