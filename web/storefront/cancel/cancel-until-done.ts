import { call, type Failure } from '../shared/api.ts'

/** What a cancellation has in its request. It is the same however the customer came to it. */
export type Cancellation = { contractId: string; reason: string; comment?: string }

const FIRST_WAIT_MS = 2_000
const LONGEST_WAIT_MS = 60_000

/**
 * Cancels a contract. While nobody answers it goes on: after a wait that doubles, when the browser is online again, and when `again` says
 * so. `onWait` is called before each wait. Ends with false when `stop` is aborted; throws `Failure` when the service refuses.
 */
export async function cancelUntilDone(
  api: string,
  { contractId, ...body }: Cancellation,
  { stop, again, onWait }: { stop: AbortSignal; again: EventTarget; onWait: (failure: Failure) => void }
): Promise<boolean> {
  for (let waitMs = FIRST_WAIT_MS; !stop.aborted; waitMs = Math.min(waitMs * 2, LONGEST_WAIT_MS)) {
    try {
      await call(`${api}/membership/churn/${encodeURIComponent(contractId)}/cancellation`, body)
      return true
    } catch (err) {
      const failure = err as Failure
      if (!failure.isTemporary) {
        // An earlier try whose answer was lost has cancelled it, or somebody else has.
        if (await hasEnded(api, contractId)) return true
        throw failure
      }
      if (stop.aborted) break
      onWait(failure)
      await untilNextTry(waitMs, [stop, again])
    }
  }
  return false
}

async function hasEnded(api: string, contractId: string): Promise<boolean> {
  const account = await call<{ contracts: { contract_id: string; status: string }[] }>(
    `${api}/membership/account`
  ).catch(() => null)
  return account?.contracts.some((one) => one.contract_id === contractId && one.status === 'CANCELLED') ?? false
}

function untilNextTry(ms: number, [stop, again]: [AbortSignal, EventTarget]): Promise<void> {
  return new Promise((resolve) => {
    const ended = new AbortController()
    const { signal } = ended
    const timer = setTimeout(go, ms)
    function go() {
      clearTimeout(timer)
      ended.abort()
      resolve()
    }
    addEventListener('online', go, { signal })
    again.addEventListener('again', go, { signal })
    stop.addEventListener('abort', go, { signal })
  })
}
