import type { Agent, Dispatcher } from 'undici'
import { type ConnectionFailure, connectionFailureOf } from '#kit/outbound'
import { type BalancePage, MalformedPage, PAGE_BALANCES, readBalancePage } from './balance-page.ts'

/**
 * What asking for a page came to. `status` is null where there was no answer. `isCutOff`: we ended it ourselves, which says nothing of the
 * service.
 */
export type FetchedPage =
  | { ok: true; page: BalancePage }
  | { ok: false; isCutOff: false; error: string; status: number | null; retryAfterSeconds: number }
  | { ok: false; isCutOff: true }

/** A page of 1,000 balances takes about 70 KB. */
const MAX_BYTES = 1024 * 1024
const MAX_RETRY_AFTER_SECONDS = 24 * 3600

const WITHOUT_ANSWER: Record<ConnectionFailure, string> = {
  timeout: 'The connection did not open in time',
  address_refused: 'The name resolves to a private, local or reserved address, to which nothing is sent',
  dns: 'The name could not be resolved',
  connect: 'The connection was refused',
  tls: 'The certificate was not accepted, or TLS failed',
  reset: 'The connection broke off',
  protocol: 'The answer is not HTTP',
  other: 'The connection failed'
}

/**
 * Asks for a page of balances. Redirects are not followed; time and bytes of the whole answer are limited. Never throws. What it says of a
 * failure has nothing that the service sent, since that may repeat our header.
 */
export async function fetchBalancePage(
  agent: Agent,
  { url, authorization, cursor }: { url: string; authorization: string | null; cursor: string | null },
  { timeoutMs, cutOff }: { timeoutMs: number; cutOff: AbortSignal }
): Promise<FetchedPage> {
  const tooSlow = AbortSignal.timeout(timeoutMs)
  try {
    const { origin, pathname, search } = new URL(url)
    const paging = `limit=${PAGE_BALANCES}${cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`}`
    const response = await agent.request({
      origin,
      path: `${pathname}${search === '' ? '?' : `${search}&`}${paging}`,
      method: 'GET',
      headers: {
        accept: 'application/json',
        'user-agent': 'Perennial',
        ...(authorization !== null && { authorization })
      },
      signal: AbortSignal.any([tooSlow, cutOff])
    })
    const problem = problemOf(response)
    if (problem) {
      // Its body is not read; ending it closes the connection.
      response.body.on('error', () => {}).destroy()
      return failed(problem, response.statusCode, response.headers['retry-after'])
    }
    const text = await readText(response.body)
    return { ok: true, page: readBalancePage(text, cursor) }
  } catch (err) {
    if (err instanceof MalformedPage) return failed(`Malformed answer: ${err.message}`, 200)
    if (cutOff.aborted) return { ok: false, isCutOff: true }
    if (tooSlow.aborted) return failed(`No whole answer came within ${timeoutMs / 1000} seconds`, null)
    return failed(WITHOUT_ANSWER[connectionFailureOf(err as Error)], null)
  }
}

const failed = (error: string, status: number | null, retryAfter?: string | string[]): FetchedPage => ({
  ok: false,
  isCutOff: false,
  error,
  status,
  retryAfterSeconds: /^\d{1,9}$/.test(String(retryAfter)) ? Math.min(Number(retryAfter), MAX_RETRY_AFTER_SECONDS) : 0
})

/** What is wrong with the head of an answer; null if nothing. */
function problemOf({ statusCode, headers }: Dispatcher.ResponseData): string | null {
  if (statusCode >= 300 && statusCode <= 399)
    return `The answer has the status ${statusCode}: redirects are not followed`
  if (statusCode !== 200) return `The answer has the status ${statusCode} and not 200`
  const encoding = headers['content-encoding'] ?? 'identity'
  return encoding === 'identity' ? null : 'The answer is compressed, for which we have not asked'
}

async function readText(body: Dispatcher.ResponseData['body']): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  // Leaving the loop ends the stream and its connection.
  for await (const chunk of body as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > MAX_BYTES) throw new MalformedPage(`the answer has more than ${MAX_BYTES} bytes`)
    chunks.push(chunk)
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks))
  } catch {
    throw new MalformedPage('the answer is not UTF-8')
  }
}
