import { setTimeout as sleep } from 'node:timers/promises'
import type { ConnectorOptions, PlatformAccess } from './connector.ts'
import { CostBudget, type ThrottleStatus } from './cost-budget.ts'
import type { AdminDocument } from './document.ts'
import { Fields, MalformedPayload } from './fields.ts'
import { failed, NOT_UNDERSTOOD, type PlatformFailure, type PlatformResult, succeeded } from './outcome.ts'
import { parseJson } from './parse-json.ts'
import { ADMIN_PATH, PROFILES } from './profiles.ts'
import { type Exchange, post } from './transport.ts'

type Variables = Record<string, unknown>

/** Sends documents to one store's platform and tells what came of each. */
export type PlatformClient = {
  query<T>(document: AdminDocument, variables: Variables, read: (data: Fields) => T): Promise<PlatformResult<T>>
  /** `read` gets the mutation's payload, once it is known to be free of userErrors. */
  mutate<T>(document: AdminDocument, variables: Variables, read: (payload: Fields) => T): Promise<PlatformResult<T>>
}

const MAX_THROTTLE_WAITS = 3
/** After an answer of "throttled", whatever the bucket says. */
const LEAST_THROTTLE_WAIT_MS = 100
/** A mutation costs 10 points; what a document really costs is learnt from its first answer. */
const FIRST_GUESS_COST = 10

// One budget per platform address, since connectors come and go while the platform's bucket stays.
const budgets = new Map<string, CostBudget>()
const costs = new Map<AdminDocument, number>()

export function clientFor(access: PlatformAccess, options: ConnectorOptions): PlatformClient {
  const url = new URL(access.url.replace(/\/+$/, '') + ADMIN_PATH).href
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json',
    [PROFILES[access.profile].accessTokenHeader]: access.accessToken
  }
  const budget = budgets.get(url) ?? new CostBudget()
  budgets.set(url, budget)
  const timeoutMs = options.timeoutMs ?? 30_000
  const throttleWaitMs = options.throttleWaitMs ?? 10_000

  /** Sends until the answer is another than "throttled", within the waits that are allowed. */
  async function send(document: AdminDocument, variables: Variables): Promise<Answer> {
    const body = JSON.stringify({ query: document, variables })
    let patienceMs = throttleWaitMs
    for (let waits = 0; ; waits++) {
      const cost = costs.get(document) ?? FIRST_GUESS_COST
      const waitMs = waits > MAX_THROTTLE_WAITS ? null : budget.take(cost, patienceMs)
      if (waitMs === null) return { failure: throttled(budget.waitFor(cost)) }
      const pauseMs = waits > 0 ? Math.max(waitMs, LEAST_THROTTLE_WAIT_MS) : waitMs
      if (pauseMs > 0) await sleep(pauseMs)
      patienceMs -= pauseMs
      const answer = answerOf(await post(url, headers, body, timeoutMs), isMutation(document))
      if (answer.requestedCost) costs.set(document, answer.requestedCost)
      budget.settle(cost, answer.throttleStatus ?? null)
      if (answer.failure?.kind !== 'throttled') return answer
    }
  }

  async function ask<T>(document: AdminDocument, variables: Variables, read: (data: Fields) => PlatformResult<T>) {
    const { failure, data } = await send(document, variables)
    if (failure) return failed(failure)
    try {
      return read(new Fields(data, 'data'))
    } catch (err) {
      if (!(err instanceof MalformedPayload)) throw err
      const failure = noAnswer(`The platform's answer cannot be understood: ${err.message}`, isMutation(document))
      return failed({ ...failure, code: NOT_UNDERSTOOD })
    }
  }

  return {
    query: (document, variables, read) => ask(document, variables, (data) => succeeded(read(data))),
    mutate: (document, variables, read) =>
      ask(document, variables, (data) => {
        const payload = data.at(data.keys()[0] ?? 'payload')
        const error = payload.list('userErrors')[0]
        return error ? failed(rejection(error)) : succeeded(read(payload))
      })
  }
}

type Answer = {
  failure?: PlatformFailure
  data?: unknown
  requestedCost?: number
  throttleStatus?: ThrottleStatus
}

function isMutation(document: AdminDocument): boolean {
  return document.startsWith('mutation')
}

/** A failure without a definite answer; of a mutation it is then not known whether it was executed. */
function noAnswer(message: string, mayBeExecuted: boolean): PlatformFailure {
  return { kind: 'unavailable', message, ...(mayBeExecuted ? { outcomeUnknown: true } : {}) }
}

function throttled(retryAfterMs: number): PlatformFailure {
  return { kind: 'throttled', message: 'The cost budget of the platform is used up', code: 'throttled', retryAfterMs }
}

function answerOf(exchange: Exchange, mutation: boolean): Answer {
  if (!exchange.answered) return { failure: noAnswer(`The platform ${exchange.message}`, mutation && exchange.sent) }
  const { status, body, retryAfterMs } = exchange
  if (status === 401 || status === 403) {
    return {
      failure: {
        kind: 'unauthorized',
        message: `The platform answered ${status} to the access token`,
        code: `${status}`
      }
    }
  }
  if (status !== 200) {
    // 429 and the rest of 4xx are answered before anything is executed; a 408 or 5xx can come from a gateway after it.
    const mayBeExecuted = mutation && (status >= 500 || status === 408)
    const failure = noAnswer(`The platform answered ${status}`, mayBeExecuted)
    return { failure: { ...failure, code: `${status}`, ...(retryAfterMs ? { retryAfterMs } : {}) } }
  }
  try {
    return answerOfJson(new Fields(parseJson(body), 'answer'), mutation)
  } catch (err) {
    if (!(err instanceof SyntaxError || err instanceof MalformedPayload)) throw err
    return { failure: noAnswer('The platform answered 200 with something that is no GraphQL answer', mutation) }
  }
}

function answerOfJson(answer: Fields, mutation: boolean): Answer {
  const cost = answer.maybeAt('extensions')?.maybeAt('cost')
  const status = cost?.maybeAt('throttleStatus')
  const answered: Answer = {}
  if (cost?.has('requestedQueryCost')) answered.requestedCost = cost.int('requestedQueryCost')
  if (status) {
    answered.throttleStatus = {
      maximumAvailable: status.number('maximumAvailable'),
      currentlyAvailable: status.number('currentlyAvailable'),
      restoreRate: status.number('restoreRate')
    }
  }
  const error = answer.maybeList('errors')[0]
  if (error) return { ...answered, failure: failureOf(error, mutation) }
  return { ...answered, data: answer.raw('data') }
}

// Codes that the platform gives before it executes anything. Those of static validation are in camelCase.
const NOT_EXECUTED = new Set([
  'BAD_REQUEST',
  'INVALID_VARIABLE',
  'MAX_COST_EXCEEDED',
  'MAX_INPUT_SIZE_EXCEEDED',
  'RESOURCE_NOT_FOUND',
  'GRAPHQL_PARSE_FAILED',
  'GRAPHQL_VALIDATION_FAILED'
])

/**
 * An error of the whole request. It says that we asked wrongly or that the platform is at odds with itself, never
 * that a charge was declined, so it is no `rejected`. An unknown one may have come up after the effect.
 */
function failureOf(error: Fields, mutation: boolean): PlatformFailure {
  const message = error.text('message')
  const code = error.maybeAt('extensions')?.maybeText('code') ?? ''
  if (code === 'THROTTLED') return throttled(0)
  if (code === 'ACCESS_DENIED') return { kind: 'unauthorized', message, code: 'access_denied' }
  const mayBeExecuted = mutation && !NOT_EXECUTED.has(code) && !/^[a-z]/.test(code)
  return { ...noAnswer(message, mayBeExecuted), ...(code ? { code: code.toLowerCase() } : {}) }
}

/** The first of a mutation's userErrors. One of them is the budget again, told in another place. */
function rejection(error: Fields): PlatformFailure {
  const code = error.maybeText('code')?.toLowerCase()
  const field = error.has('field') ? error.texts('field').join('.') : undefined
  return {
    kind: code === 'throttled' ? 'throttled' : 'rejected',
    message: error.text('message'),
    ...(code ? { code } : {}),
    ...(field ? { field } : {})
  }
}
