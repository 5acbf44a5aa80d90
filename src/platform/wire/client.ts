import { setTimeout as sleep } from 'node:timers/promises'
import type { CostBudget } from './cost-budget.ts'
import type { AdminDocument } from './document.ts'
import { Fields, MalformedPayload } from './fields.ts'
import { failed, type PlatformResult, succeeded, UNREADABLE_RESPONSE } from './outcome.ts'
import { ADMIN_PATH, gid, PROFILES, type ProfileName } from './platform-profiles.ts'
import { noUsableResponse, type ReadResponse, readResponse, rejection, throttled } from './read-response.ts'
import { post } from './transport.ts'
import type { WithheldField } from './withheld.ts'

/** The address of a store's platform and the token that it accepts. `url` may have a path: `https://shop.example/base`. */
export type PlatformAccess = { storeId: number; profile: ProfileName; url: string; accessToken: string }

export type ClientOptions = {
  /** For one try, from the connection to the last byte; 30 s when left out. */
  timeoutMs?: number
  /** How long a call may wait for the cost budget, over all its tries, before it is `throttled`; 10 s when left out. */
  throttleWaitMs?: number
  /** Called for each field that a response lacks because we may not read it. */
  onWithheld?: (storeId: number, field: WithheldField) => void
}

type Variables = Record<string, unknown>

/** Sends documents to one store's platform. Each call returns its outcome and never throws for a failure of the platform. */
export type PlatformClient = {
  query<T>(document: AdminDocument, variables: Variables, read: (data: Fields) => T): Promise<PlatformResult<T>>
  /** `read` gets the mutation's payload, once it is known to have no userErrors. */
  mutate<T>(document: AdminDocument, variables: Variables, read: (payload: Fields) => T): Promise<PlatformResult<T>>
  /** The global id of an object, as this store's platform writes it: `gid://platform/Customer/42`. */
  gid(type: string, id: string): string
}

/** After the first response of "throttled", whatever the bucket says; after each further one twice as long. */
const MIN_THROTTLE_PAUSE_MS = 100
/** A mutation costs 10 points; the real cost of a document comes with its first response. */
const FIRST_GUESS_COST = 10

/** The last known cost of each document, in points. The same for every store. */
const costs = new Map<AdminDocument, number>()

/** A client that pays for its calls from `budget`, which all clients of one store share. */
export function createClient(access: PlatformAccess, budget: CostBudget, options: ClientOptions): PlatformClient {
  const url = new URL(access.url.replace(/\/+$/, '') + ADMIN_PATH).href
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json',
    [PROFILES[access.profile].accessTokenHeader]: access.accessToken
  }
  const timeoutMs = options.timeoutMs ?? 30_000
  const throttleWaitMs = options.throttleWaitMs ?? 10_000

  /** Repeats the call while the platform throttles it, until its patience is at an end. */
  async function send(document: AdminDocument, variables: Variables): Promise<ReadResponse> {
    const body = JSON.stringify({ query: document, variables })
    let patienceMs = throttleWaitMs
    for (let tries = 0; ; tries++) {
      const cost = costs.get(document) ?? FIRST_GUESS_COST
      const askedAt = performance.now()
      if (!(await budget.take(cost, patienceMs, tries > 0))) return { failure: throttled(budget.waitFor(cost)) }
      patienceMs -= performance.now() - askedAt
      const response = readResponse(await post(url, headers, body, timeoutMs), isMutation(document))
      if (response.requestedCost) costs.set(document, response.requestedCost)
      budget.settle(cost, response.throttleStatus ?? null)
      if (response.failure?.kind !== 'throttled') return response
      // At random, so that nodes which were throttled together do not come back together.
      const pauseMs = MIN_THROTTLE_PAUSE_MS * 2 ** tries * (1 + Math.random())
      const waitMs = Math.max(pauseMs, budget.waitFor(response.requestedCost ?? cost, true))
      if (waitMs > patienceMs) return { failure: throttled(Math.ceil(waitMs)) }
      await sleep(pauseMs)
      patienceMs -= pauseMs
    }
  }

  async function call<T>(document: AdminDocument, variables: Variables, read: (data: Fields) => PlatformResult<T>) {
    const { failure, data, withheld = [] } = await send(document, variables)
    if (failure) return failed(failure)
    for (const field of withheld) options.onWithheld?.(access.storeId, field)
    try {
      const paths = withheld.map(({ path }) => `data.${path}`)
      return read(new Fields(data, 'data', paths))
    } catch (err) {
      if (!(err instanceof MalformedPayload)) throw err
      const message = `The platform's answer cannot be understood: ${err.message}`
      return failed({ ...noUsableResponse(message, isMutation(document)), code: UNREADABLE_RESPONSE })
    }
  }

  return {
    query: (document, variables, read) => call(document, variables, (data) => succeeded(read(data))),
    mutate: (document, variables, read) =>
      call(document, variables, (data) => {
        const payload = data.at(data.keys()[0] ?? 'payload')
        const error = payload.list('userErrors')[0]
        return error ? failed(rejection(error)) : succeeded(read(payload))
      }),
    gid: (type, id) => gid(access.profile, type, id)
  }
}

function isMutation(document: AdminDocument): boolean {
  return document.startsWith('mutation')
}
