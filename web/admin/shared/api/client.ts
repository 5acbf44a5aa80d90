import createClient from 'openapi-fetch'
import { ApiError } from './errors.ts'
import { fetchInSession } from './fetch-in-session.ts'
import type { paths } from './schema.ts'

/** The admin API, typed from its document. */
export const api = createClient<paths>({
  baseUrl: `${location.origin}/admin/api`,
  fetch: fetchInSession,
  headers: { accept: 'application/json' }
})

/** The body of a response, or the refusal as an exception. */
export async function bodyOf<T>(call: Promise<{ data?: T; error?: unknown; response: Response }>): Promise<T> {
  const { data, error, response } = await call
  if (!response.ok || data === undefined) throw new ApiError(response, error)
  return data
}
