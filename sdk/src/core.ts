import createApi, { type Client } from 'openapi-fetch'
import { type Answer, factsOf, type Meta } from './answer.ts'
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
  const answer = async <Data>(ask: Ask, call: CallOptions = {}) =>
    answerOf<Data>(ask, api, settingsFor(settings, call), call.signal)
  return {
    call: (ask, call) => new Call(answer(ask, call)),
    list: (ask, filter, call) =>
      new List((paging) => answer((api, sending) => ask(api, sending, { ...filter, ...paging }), call), filter)
  }
}

async function answerOf<Data>(
  ask: Ask,
  api: Api,
  settings: Settings,
  signal: AbortSignal | undefined
): Promise<Answer<Data>> {
  const { parsed, error, response } = await parsedAnswer(ask, api, (request) => send(request, settings, signal))
  const facts = factsOf(response)
  if (!response.ok) throw errorOf(error, { ...facts, retryAfterMs: retryAfterMs(response, settings.timing.now()) })
  const { data, meta } = parsed ?? {}
  if (data === undefined || !meta) {
    throw new ApiError(`An answer with status ${facts.status} held no data`, 'unexpected_answer', facts)
  }
  return { ...facts, data: data as Data, meta }
}

async function parsedAnswer(ask: Ask, api: Api, sent: Sending['fetch']) {
  let answer: Response | undefined
  const fetch = async (request: Request) => (answer = await sent(request))
  try {
    const { data: parsed, error, response } = await ask(api, { fetch })
    return { parsed, error, response }
  } catch (err) {
    // The body of a 2xx response that is not JSON.
    if (answer && err instanceof SyntaxError) return { parsed: undefined, error: undefined, response: answer }
    throw err
  }
}

/** An id as a path segment. Throws for a value that would change the path. */
export function idOf(id: string): string {
  if (typeof id === 'string' && id !== '' && id !== '.' && id !== '..') return id
  throw new TypeError(`${JSON.stringify(id)} is no id`)
}
