import createApi, { type Client } from 'openapi-fetch'
import { type ApiResponse, factsOf, type Meta } from './api-response.ts'
import { Call } from './call.ts'
import { ApiError, errorOf } from './errors.ts'
import { List, type Paging } from './list.ts'
import type { paths } from './openapi.ts'
import { type CallOptions, type ClientOptions, type Settings, settingsFor, settingsOf } from './options.ts'
import { retryAfterMs } from './retry.ts'
import { send } from './transport.ts'

type Api = Client<paths, 'application/json'>
/** The result of openapi-fetch. Its types omit fields that are always null, so they are not used. */
type Parsed = { data?: { data: unknown; meta: Meta }; error?: unknown; response: Response }
/** How openapi-fetch sends a call. */
type Sending = { fetch: (request: Request) => Promise<Response> }
type Ask = (api: Api, sending: Sending) => Promise<Parsed>

/** What each group of resources uses. */
export type Core = {
  /** Sends immediately. */
  call<Data>(ask: Ask, options?: CallOptions): Call<Data>
  /** Sends when it is awaited or iterated. */
  list<Row extends { id: string }, Filter extends Paging>(
    ask: (api: Api, sending: Sending, query: Filter & Paging) => Promise<Parsed>,
    filter: Filter,
    options?: CallOptions
  ): List<Row>
}

export function createCore(options: ClientOptions): Core {
  const settings = settingsOf(options)
  const api = createApi<paths, 'application/json'>({
    baseUrl: options.baseUrl,
    headers: { authorization: `Bearer ${options.apiKey}`, accept: 'application/json' }
  })
  const request = async <Data>(ask: Ask, call: CallOptions = {}) =>
    requestData<Data>(ask, api, settingsFor(settings, call), call.signal)
  return {
    call: (ask, call) => new Call(request(ask, call)),
    list: (ask, filter, call) =>
      new List((paging) => request((api, sending) => ask(api, sending, { ...filter, ...paging }), call), filter)
  }
}

async function requestData<Data>(
  ask: Ask,
  api: Api,
  settings: Settings,
  signal: AbortSignal | undefined
): Promise<ApiResponse<Data>> {
  const { parsed, error, response } = await requestParsed(ask, api, (request) => send(request, settings, signal))
  const facts = factsOf(response)
  if (!response.ok) throw errorOf(error, { ...facts, retryAfterMs: retryAfterMs(response, settings.timing.now()) })
  const { data, meta } = parsed ?? {}
  if (data === undefined || !meta) {
    throw new ApiError(`The response with status ${facts.status} has no data`, 'unexpected_response', facts)
  }
  return { ...facts, data: data as Data, meta }
}

async function requestParsed(ask: Ask, api: Api, sent: Sending['fetch']) {
  let received: Response | undefined
  const fetch = async (request: Request) => (received = await sent(request))
  try {
    const { data: parsed, error, response } = await ask(api, { fetch })
    return { parsed, error, response }
  } catch (err) {
    // The body of a 2xx response that is not JSON.
    if (received && err instanceof SyntaxError) return { parsed: undefined, error: undefined, response: received }
    throw err
  }
}

/** An id as a path segment. Throws for a value that would change the path. */
export function idOf(id: string): string {
  if (typeof id === 'string' && id !== '' && id !== '.' && id !== '..') return id
  throw new TypeError(`${JSON.stringify(id)} is no id`)
}
