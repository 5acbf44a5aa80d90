import { request } from 'undici'

/** A store under load: its key, the platform's numbers of customers, and where its additions end up. */
export type LoadedStore = { key: string; customer: string }

/**
 * Of a phase: how many requests were answered with which status (0: not at all), and the longest that one waited for its answer, and
 * that `/readyz` did.
 */
export type Phase = { answers: Record<number, number>; longestMs: number; readyLongestMs: number; notReady: number }
const aPhase = (): Phase => ({ answers: { 200: 0, 503: 0 }, longestMs: 0, readyLongestMs: 0, notReady: 0 })

const PAUSE_MS = 280
/** The contract's promise: whatever the database does, a request is answered by then. */
const ANSWERED_WITHIN_MS = 10_000
/** Operators are told three seconds; the rest is for a busy machine. */
const READY_WITHIN_MS = 4_000

/**
 * Reads and writes of several stores, as careful clients do them: a write that was not acknowledged is repeated under its key. The
 * health of the process is asked all the time. `odd` has what breaks a promise.
 */
export function startFaultLoad(url: () => string, stores: LoadedStore[]) {
  const acknowledged = new Map<string, number>()
  const odd: string[] = []
  let phase = aPhase()
  let isOver = false
  /** The trial has failed: nobody waits for what is under way. */
  let isGivenUp = false
  /** While the process is stopped, connections are refused. */
  let mayBeAway = false
  let n = 0

  const send = async (what: string, path: string, options: Parameters<typeof request>[1]): Promise<number> => {
    const began = performance.now()
    const during = phase
    let status = 0
    try {
      const response = await request(`${url()}${path}`, { ...options, headersTimeout: 40_000 })
      status = response.statusCode
      const text = await response.body.text()
      if (status === 503 && !/^\d+$/.test(String(response.headers['retry-after'])))
        odd.push(`${what}: 503 without Retry-After`)
      if (![200, 503, 429].includes(status)) odd.push(`${what}: ${status} ${text.slice(0, 300)}`)
    } catch (err) {
      if (!mayBeAway) odd.push(`${what}: ${(err as Error).message || (err as { code?: string }).code}`)
    }
    const ms = performance.now() - began
    if (ms > ANSWERED_WITHIN_MS) odd.push(`${what}: answered after ${Math.round(ms)} ms with ${status}`)
    during.longestMs = Math.max(during.longestMs, Math.round(ms))
    during.answers[status] = (during.answers[status] ?? 0) + 1
    return status
  }

  const headers = ({ key }: LoadedStore, more = {}) => ({
    authorization: `Bearer ${key}`,
    'content-type': 'application/json',
    ...more
  })
  const add = async (store: LoadedStore): Promise<void> => {
    const reason = `fault-${String(++n).padStart(6, '0')}`
    const path = `/v1/store-credits/${store.customer}/add`
    const body = JSON.stringify({ amount: 1, reason })
    while (!isGivenUp) {
      const status = await send('add', path, {
        method: 'POST',
        headers: headers(store, { 'idempotency-key': reason }),
        body
      })
      if (status === 200) {
        acknowledged.set(store.customer, (acknowledged.get(store.customer) ?? 0) + 1)
        return
      }
      await pause(PAUSE_MS)
    }
  }
  const clients = stores.flatMap((store) => [
    (async () => {
      while (!isOver) {
        await add(store)
        await pause(PAUSE_MS)
      }
    })(),
    (async () => {
      while (!isOver) {
        await send('read', '/v1/members', { headers: headers(store) })
        await pause(4 * PAUSE_MS)
      }
    })()
  ])

  /** The status, or 0 where there was no answer. */
  const health = async (path: string, withinMs: number): Promise<number> => {
    const began = performance.now()
    const status = await request(`${url()}${path}`, { headersTimeout: 20_000 }).then(
      async ({ statusCode, body }) => {
        await body.dump()
        return statusCode
      },
      () => 0
    )
    const ms = performance.now() - began
    if (ms > withinMs) odd.push(`${path}: answered after ${Math.round(ms)} ms with ${status}`)
    if (path !== '/readyz') return status
    phase.readyLongestMs = Math.max(phase.readyLongestMs, Math.round(ms))
    if (status !== 200) phase.notReady++
    return status
  }
  const prober = (async () => {
    while (!isOver) {
      const [alive] = await Promise.all([health('/livez', 2_000), health('/readyz', READY_WITHIN_MS)])
      if (alive !== 200 && !mayBeAway) odd.push(`/livez: ${alive}`)
      await pause(250)
    }
  })()

  return {
    odd,
    acknowledged,
    /** Begins to count anew, and returns what was counted. */
    next(options: { mayBeAway?: boolean } = {}): Phase {
      const ended = phase
      phase = aPhase()
      mayBeAway = options.mayBeAway ?? false
      return ended
    },
    ready: async () => (await health('/readyz', READY_WITHIN_MS)) === 200,
    /** One write of each store, repeated until it is acknowledged. */
    once: () => Promise.all(stores.map(add)),
    async stop(): Promise<void> {
      isOver = true
      await Promise.all([...clients, prober])
    },
    giveUp(): void {
      isOver = true
      isGivenUp = true
    }
  }
}

export const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))
