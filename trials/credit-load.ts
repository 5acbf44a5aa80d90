import { request } from 'undici'

/** A store to which credit is added: an API key, and the platform's numbers of its customers. */
export type LoadedStore = { key: string; customers: string[] }
export type LoadReport = {
  /** The reasons of the additions that were acknowledged. */
  acknowledged: string[]
  /** Requests with another answer, or none, and their statuses. */
  refused: string[]
}

/** A store may make 300 requests a minute; so many of its clients with such a pause stay below that. */
const CLIENTS = 4
const PAUSE_MS = 900

/**
 * Clients of the API that add store credit again and again until they are stopped, each time with another reason and key.
 * `isPatient`: a request without an answer, or that the service is too busy for, is repeated with its key, as a careful client
 * does.
 */
export function startCreditLoad(url: string, stores: LoadedStore[], isPatient: boolean) {
  const report: LoadReport = { acknowledged: [], refused: [] }
  const over = new AbortController()
  const abandoned = new AbortController()
  let n = 0

  /** Whether it was acknowledged. */
  const add = async ({ key, customers }: LoadedStore): Promise<boolean> => {
    const reason = `load-${String(++n).padStart(6, '0')}`
    const customer = customers[n % customers.length]!
    for (;;) {
      const status = await post(`${url}/v1/store-credits/${customer}/add`, key, reason)
      if (status === 200 || status === 201) {
        report.acknowledged.push(reason)
        return true
      }
      if (!isPatient || abandoned.signal.aborted || (status !== 0 && status !== 503)) {
        report.refused.push(`${reason}: ${status}`)
        return false
      }
      await pause(200)
    }
  }
  const client = async (store: LoadedStore) => {
    while (!over.signal.aborted) {
      await add(store)
      await pause(PAUSE_MS)
    }
  }
  const clients = stores.flatMap((store) => Array.from({ length: CLIENTS }, () => client(store)))
  return {
    /** One more addition; whether it was acknowledged. */
    once: () => add(stores[0]!),
    async stop(): Promise<LoadReport> {
      over.abort()
      await Promise.all(clients)
      return report
    },
    /** Ends the clients also where no service is left that could answer them: for a trial that has failed. */
    abandon(): void {
      over.abort()
      abandoned.abort()
    }
  }
}

/** The status of the response; 0 where there is none. */
async function post(url: string, key: string, reason: string): Promise<number> {
  try {
    const response = await request(url, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', 'idempotency-key': reason },
      body: JSON.stringify({ amount: 1, reason }),
      headersTimeout: 30_000
    })
    await response.body.dump()
    return response.statusCode
  } catch {
    return 0
  }
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))
