import { setTimeout as sleep } from 'node:timers/promises'
import type { CallWindow, Place } from './call-window.ts'
import type { CostBudget } from './cost-budget.ts'
import type { AdminDocument } from './document.ts'
import { Fields, MalformedPayload } from './fields.ts'
import { holdToken, isTokenRefused, noTokenYet, type Renewal } from './held-token.ts'
import { failed, type PlatformFailure, type PlatformResult, succeeded, UNREADABLE_RESPONSE } from './outcome.ts'
import { ADMIN_PATH, gid, PROFILES, type ProfileName } from './platform-profiles.ts'
import {
  isThrottled,
  noUsableResponse,
  type ReadResponse,
  readResponse,
  rejection,
  throttled
} from './read-response.ts'
import { type PostOptions, post } from './transport.ts'
import { type WithheldField, withType } from './withheld.ts'

/** The address of a store's platform and the token that it accepts. `url` may have a path: `https://shop.example/base`. */
export type PlatformAccess = { storeId: number; profile: ProfileName; url: string; accessToken: string }

export type ClientOptions = {
  /** For one try, from the connection to the last byte; 30 s when left out. */
  timeoutMs?: number
  /**
   * How long a call may wait for its place and for the cost budget, over all its tries, before it is `throttled`; 10 s when left
   * out.
   */
  throttleWaitMs?: number
  /** Called for each field that a response lacks because we may not read it. */
  onWithheld?: (storeId: number, field: WithheldField) => void
  /**
   * Called for each answer to the access token itself: with the message of a refusal, or with null where it was taken. Not where only
   * a part of a response was denied.
   */
  onToken?: (storeId: number, refusal: string | null) => void
  /**
   * Asked when the platform refuses an access token: for another one of the store, with which the call is sent once more. It was not
   * executed. The answer is waited for no longer than the call may last.
   */
  renewToken?: (storeId: number, refused: string) => Promise<Renewal>
  /** After how long a query without an answer is sent a second time; 2 s when left out. */
  secondQueryMs?: number
  /** Whether the platform of the store may be changed now; always when left out. */
  mayChange?: (storeId: number) => Promise<boolean>
}

const TIMEOUT_MS = 30_000
const THROTTLE_WAIT_MS = 10_000
const SECOND_QUERY_MS = 2_000
/**
 * No call takes longer, with all its waits for the platform and its tries, where the options name no other times. Leases on such
 * work last longer. A change of the platform waits besides for `mayChange`, which asks the database.
 */
export const MAX_CALL_MS = TIMEOUT_MS + THROTTLE_WAIT_MS

/** The times of a client of which one try may take so long: a call waits for at most a third of that. */
export const callTimes = (timeoutMs = TIMEOUT_MS) => ({ timeoutMs, throttleWaitMs: timeoutMs / 3 })

/** The same as `MAX_CALL_MS` for clients with these options. */
export const maxCallMsOf = ({ timeoutMs = TIMEOUT_MS, throttleWaitMs = THROTTLE_WAIT_MS }: ClientOptions): number =>
  timeoutMs + throttleWaitMs

/** What the calls of one store share in this process. */
export type StoreLimits = { budget: CostBudget; window: CallWindow }

type Variables = Record<string, unknown>
type Call = { document: AdminDocument; body: string; priority: Priority; endBy: number }
type Answer = { response: ReadResponse; isAnswered: boolean }

/** A call of low priority is sent only while half of the cost budget is left besides, and nobody waits for points. */
export type Priority = 'normal' | 'low'

/** `endBy`: nothing is sent that could end later, with the whole time limit of its try; a time of `performance.now()`. */
export type SendOptions = { endBy?: number }

/** The same client, whose queries have low priority. */
export const ofLowPriority = (client: PlatformClient): PlatformClient => ({
  ...client,
  query: (document, variables, read) => client.query(document, variables, read, 'low')
})

/** Sends documents to one store's platform. Each call returns its outcome and never throws for a failure of the platform. */
export type PlatformClient = {
  query<T>(
    document: AdminDocument,
    variables: Variables,
    read: (data: Fields) => T,
    priority?: Priority
  ): Promise<PlatformResult<T>>
  /**
   * `read` gets the mutation's payload, once it is known to have no userErrors. Nothing is sent while nothing may be changed
   * there.
   */
  mutate<T>(
    document: AdminDocument,
    variables: Variables,
    read: (payload: Fields) => T,
    options?: SendOptions
  ): Promise<PlatformResult<T>>
  /** The same for a document of several mutations. `read` gets the payloads of all by their names, and says itself what their userErrors mean. */
  mutateEach<T>(
    document: AdminDocument,
    variables: Variables,
    read: (payloads: Fields) => T
  ): Promise<PlatformResult<T>>
  /** The same as `mutate` for what is only ours there and changes nothing for the shop: our webhooks, bulk queries. Always allowed. */
  maintain<T>(
    document: AdminDocument,
    variables: Variables,
    read: (payload: Fields) => T,
    options?: SendOptions
  ): Promise<PlatformResult<T>>
  /** The global id of an object, as this store's platform writes it: `gid://platform/Customer/42`. */
  gid(type: string, id: string): string
  /** Whether a link leads to the host of this store's platform, whose address an operator has chosen. */
  isOnPlatform(link: string): boolean
}

/** It was not sent. */
const ON_HOLD: PlatformFailure = {
  kind: 'unavailable',
  message: 'The store is on hold since it was restored from a backup: nothing is changed on its platform',
  code: 'store_on_hold'
}
/** It was not sent. */
const TOO_LATE: PlatformFailure = {
  kind: 'unavailable',
  message: 'There was not enough time left for the call: it was not sent',
  code: 'too_late'
}
/** After the first response of "throttled", whatever the bucket says; after each further one twice as long. */
const MIN_THROTTLE_PAUSE_MS = 100
/** A mutation costs 10 points; the real cost of a document comes with its first response. */
const FIRST_GUESS_COST = 10

/** The last known cost of each document, in points. The same for every store. */
const costs = new Map<AdminDocument, number>()

/**
 * A client that pays for its calls from the budget, and takes places in the window, which all clients of one store share.
 * `underWay` gets, for each call that is under way, a function that ends it.
 */
export function createClient(
  access: PlatformAccess,
  { budget, window }: StoreLimits,
  options: ClientOptions & Pick<PostOptions, 'underWay'>
): PlatformClient {
  const url = new URL(access.url.replace(/\/+$/, '') + ADMIN_PATH).href
  const {
    timeoutMs = TIMEOUT_MS,
    throttleWaitMs = THROTTLE_WAIT_MS,
    secondQueryMs = SECOND_QUERY_MS,
    underWay,
    onWithheld,
    onToken,
    renewToken = async () => null,
    mayChange = async () => true
  } = options
  const token = holdToken(access.accessToken, (refused) => renewToken(access.storeId, refused))
  const headers = () => ({
    'content-type': 'application/json',
    accept: 'application/json',
    [PROFILES[access.profile].accessTokenHeader]: token.now
  })

  /** One exchange, which holds a place and `cost` points until it ends. */
  async function exchange(
    call: Call,
    place: Place,
    cost: number,
    limitMs: number,
    cutOff?: AbortSignal
  ): Promise<Answer> {
    // Right before it is sent: whatever it has waited for took of its time.
    if (performance.now() + limitMs > call.endBy) {
      budget.settle(cost, null)
      place.leave(false)
      return { response: { failure: TOO_LATE }, isAnswered: false }
    }
    const posted = await post(url, headers(), call.body, { timeoutMs: limitMs, cutOff, underWay })
    let response: ReadResponse | undefined
    try {
      response = readResponse(posted, isMutation(call.document))
      if (posted.answered && posted.status === 200) onToken?.(access.storeId, null)
    } finally {
      if (response?.requestedCost) costs.set(call.document, response.requestedCost)
      budget.settle(cost, response?.throttleStatus ?? null)
      place.leave(response !== undefined && isThrottled(response))
    }
    return { response, isAnswered: posted.answered }
  }

  /**
   * One try. A query that gets no answer for a while is sent once more, if there is room at once, and the first answer counts:
   * most of those that hang are alone, and a repetition changes nothing. A mutation, and a query of low priority, is sent once.
   */
  async function tryOnce(call: Call, place: Place, cost: number, limitMs: number): Promise<ReadResponse> {
    if (isMutation(call.document) || call.priority === 'low' || secondQueryMs >= limitMs) {
      return (await exchange(call, place, cost, limitMs)).response
    }
    const [endFirst, endSecond, answered] = [new AbortController(), new AbortController(), new AbortController()]
    const first = exchange(call, place, cost, limitMs, endFirst.signal).finally(() => answered.abort())
    await sleep(secondQueryMs, null, { signal: answered.signal }).catch(() => {})
    const second = answered.signal.aborted ? null : await freePlace(cost)
    if (!second) return (await first).response
    const other = exchange(call, second, cost, limitMs - secondQueryMs, endSecond.signal)
    const winner = await Promise.race([first, other])
    const { response } = winner.isAnswered ? winner : await lastOf(winner, first, other)
    endFirst.abort()
    endSecond.abort()
    return response
  }

  async function freePlace(cost: number): Promise<Place | null> {
    const place = window.tryEnter()
    if (!place || (await budget.take(cost, 0))) return place
    place.leave(false)
    return null
  }

  /** Repeats the call while the platform throttles it, until its patience is at an end. */
  async function send(
    document: AdminDocument,
    variables: Variables,
    { priority = 'normal', endBy = Number.POSITIVE_INFINITY }: SendOptions & { priority?: Priority }
  ): Promise<ReadResponse> {
    const call: Call = { document, body: JSON.stringify({ query: document, variables }), priority, endBy }
    const deadline = performance.now() + throttleWaitMs + timeoutMs
    let isRenewed = false
    let patienceMs = throttleWaitMs
    for (let tries = 0; ; tries++) {
      const cost = costs.get(document) ?? FIRST_GUESS_COST
      const askedAt = performance.now()
      const leftMs = () => patienceMs - (performance.now() - askedAt)
      const isLow = priority === 'low'
      // Before it has a place, which others would miss.
      if (isLow && !(await budget.untilSpare(cost, patienceMs))) return { failure: throttled(budget.waitFor(cost)) }
      const isFirst = tries > 0 && !isLow
      const place = await window.enter(leftMs(), isFirst)
      if (!place) return { failure: throttled(budget.waitFor(cost)) }
      if (!(await budget.take(cost, leftMs(), isFirst))) {
        place.leave(false)
        return { failure: throttled(budget.waitFor(cost)) }
      }
      patienceMs -= performance.now() - askedAt
      const limitMs = Math.min(timeoutMs, Math.ceil(deadline - performance.now()))
      const used = token.now
      const response = await tryOnce(call, place, cost, limitMs)
      if (isTokenRefused(response)) {
        const renewal: Renewal = isRenewed ? null : await token.replace(used, deadline)
        if (renewal && 'later' in renewal) return noTokenYet(renewal.later)
        isRenewed = renewal !== null
        if (isRenewed) continue
        onToken?.(access.storeId, response.failure!.message)
      }
      if (response.failure?.kind !== 'throttled') return response
      // At random, so that nodes which were throttled together do not come back together.
      const pauseMs = MIN_THROTTLE_PAUSE_MS * 2 ** tries * (1 + Math.random())
      const waitMs = Math.max(pauseMs, budget.waitFor(response.requestedCost ?? cost, true))
      const again = performance.now() + waitMs
      const isOver = waitMs > patienceMs || again >= deadline || again + timeoutMs > endBy
      if (isOver) return { failure: throttled(Math.ceil(waitMs)) }
      await sleep(pauseMs)
      patienceMs -= pauseMs
    }
  }

  async function call<T>(
    document: AdminDocument,
    variables: Variables,
    read: (data: Fields) => PlatformResult<T>,
    options: SendOptions & { priority?: Priority } = {}
  ) {
    const { failure, data, withheld = [] } = await send(document, variables, options)
    if (failure) return failed(failure)
    for (const field of withheld) onWithheld?.(access.storeId, withType(field, variables.ids))
    try {
      const paths = withheld.map(({ path }) => `data.${path}`)
      return read(new Fields(data, 'data', paths))
    } catch (err) {
      if (!(err instanceof MalformedPayload)) throw err
      const message = `The platform's answer cannot be understood: ${err.message}`
      return failed({ ...noUsableResponse(message, isMutation(document)), code: UNREADABLE_RESPONSE })
    }
  }

  const maintain: PlatformClient['maintain'] = (document, variables, read, sending) => {
    const readPayload = (data: Fields) => {
      const payload = data.at(data.keys()[0] ?? 'payload')
      const error = payload.list('userErrors')[0]
      return error ? failed(rejection(error)) : succeeded(read(payload))
    }
    return call(document, variables, readPayload, sending)
  }

  /** Sends a change where changes are allowed; without an answer to that nothing is sent. */
  const change = async <T>(send: () => Promise<PlatformResult<T>>): Promise<PlatformResult<T>> =>
    (await mayChange(access.storeId)) ? send() : failed(ON_HOLD)

  return {
    query: (document, variables, read, priority) =>
      call(document, variables, (data) => succeeded(read(data)), { priority }),
    maintain,
    mutate: (document, variables, read, sending) => change(() => maintain(document, variables, read, sending)),
    mutateEach: (document, variables, read) => change(() => call(document, variables, (data) => succeeded(read(data)))),
    gid: (type, id) => gid(access.profile, type, id),
    isOnPlatform: (link) => URL.parse(link)?.hostname === new URL(url).hostname
  }
}

/** What the slower of two exchanges comes to, as the faster one has no answer. */
const lastOf = async (faster: Answer, ...both: Promise<Answer>[]): Promise<Answer> =>
  (await Promise.all(both)).find((one) => one !== faster) ?? faster

function isMutation(document: AdminDocument): boolean {
  return document.startsWith('mutation')
}
