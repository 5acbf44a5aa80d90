/** Where a theme reaches the service, below its own shop: through the platform's app proxy. */
export const API = '/apps/svc-api/v1'
/** A slow platform must not keep anybody here: the service and the proxy before it answer within ten seconds. */
const LIMIT_MS = 15_000

/** What a request came to that was not carried out. `status` is 0 where nothing that the service says came back. */
export class Failure extends Error {
  readonly status: number
  constructor(status: number, message = '') {
    super(message)
    this.status = status
  }
  /** Whether the same request may be carried out later. */
  get isTemporary(): boolean {
    return this.status === 0 || this.status === 429 || this.status >= 500
  }
}

/** Reads from the storefront API; with a body, changes something. Throws `Failure`. */
export async function call<T>(url: string, body?: object, headers?: Record<string, string>): Promise<T> {
  const response = await fetch(url, {
    headers: { ...headers, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { method: 'POST', body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(LIMIT_MS)
  }).catch(() => null)
  // The page of a platform that stands in for us is no JSON.
  const answer = (await response?.json().catch(() => null)) as { message?: string } | null | undefined
  if (response?.ok && answer) return answer as T
  throw new Failure(answer ? response!.status : 0, answer?.message)
}
