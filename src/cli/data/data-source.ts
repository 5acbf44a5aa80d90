import { createHmac } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { badUsage, CommandError } from '../command-error.ts'
import type { Row } from './endpoint.ts'

/** A page of the Data API as it was received. */
export type Page = {
  data: Row[]
  meta: { per_page: number; last_id?: number; has_more?: boolean; timezone?: string }
  /** The shop's time before the rows were read; this machine's where the answer does not say. */
  shopTime: Temporal.Instant
}

/** Reads pages of one store. */
export type DataSource = {
  /** What it reads, without secrets: two runs with the same name read the same store. */
  name: string
  /** Throws CommandError once repeating does not help. */
  readPage(endpoint: string, parameters: Record<string, string>): Promise<Page>
}

type SourceOptions = {
  /** The address of the shop, where the platform signs and passes on. */
  shop: URL
  key: string
  /** Requests go to this service instead and are signed here, as the platform signs them: no limit of the platform's applies. */
  direct?: { service: URL; secret: string }
  say: (line: string) => void
  tries?: number
}

const PATH = '/apps/svc-api/v1/data/'
/** A page has to begin and end within it. */
const TIMEOUT_MS = 120_000
const TRIES = 8
const MAX_WAIT_SECONDS = 60
/** The platform answers these for a service that is away or slow. */
const PASSING = new Set([429, 500, 502, 503, 504])

/** The Data API of a shop. What passes by itself is waited for: 429, 503, a connection that breaks off. */
export function dataSource({ shop, key, direct, say, tries = TRIES }: SourceOptions): DataSource {
  const base = (direct?.service ?? shop).href.replace(/\/+$/, '')
  return {
    name: shop.href.replace(/\/+$/, ''),
    async readPage(endpoint, parameters) {
      for (let tried = 1; ; tried++) {
        const url = new URL(`${base}${PATH}${endpoint}`)
        url.search = new URLSearchParams({ ...parameters, key }).toString()
        if (direct) sign(url.searchParams, shop.hostname, direct.secret)
        const outcome = await ask(url)
        if ('page' in outcome) return outcome.page
        if (!outcome.passes || tried === tries) throw new CommandError(outcome.code, outcome.problem)
        const seconds = Math.min(MAX_WAIT_SECONDS, outcome.retryAfter ?? 2 ** (tried - 1))
        say(`${outcome.problem}; again in ${seconds} s`)
        await sleep(seconds * 1000)
      }
    }
  }
}

type Outcome = { page: Page } | { passes: boolean; code: string; problem: string; retryAfter: number | null }

async function ask(url: URL): Promise<Outcome> {
  const where = `${url.origin}${url.pathname}`
  const started = Temporal.Now.instant()
  try {
    // The runtime decompresses.
    const response = await fetch(url, {
      headers: { accept: 'application/json', 'accept-encoding': 'zstd, br, gzip' },
      signal: AbortSignal.timeout(TIMEOUT_MS)
    })
    if (!response.ok) return await refusal(response, where)
    // Rows that break off are no JSON.
    const { data, meta } = (await response.json()) as Partial<Page>
    if (!Array.isArray(data) || !meta) return lost(`${where} is not a page of the Data API`, false)
    const said = response.headers.get('shop-time')
    return { page: { data, meta, shopTime: said === null ? started : Temporal.Instant.from(said) } }
  } catch (err) {
    const cause = (err as Error).cause
    return lost(`${where} broke off or cannot be reached: ${(cause instanceof Error ? cause : (err as Error)).message}`)
  }
}

const lost = (problem: string, passes = true): Outcome => ({ passes, code: 'unavailable', problem, retryAfter: null })

const CODES: Record<number, string> = {
  401: 'authentication_failed',
  403: 'forbidden',
  404: 'not_found',
  422: 'invalid_request',
  429: 'rate_limited'
}

async function refusal(response: Response, where: string): Promise<Outcome> {
  const text = await response.text()
  const after = response.headers.get('retry-after') ?? ''
  return {
    passes: PASSING.has(response.status),
    code: CODES[response.status] ?? 'unavailable',
    problem: `${where} answered ${response.status}: ${messageIn(text)}`,
    retryAfter: /^\d{1,6}$/.test(after) ? Number(after) : null
  }
}

function messageIn(text: string): string {
  try {
    const { message } = JSON.parse(text) as { message?: unknown }
    if (typeof message === 'string') return message
  } catch {
    // A page of the platform's; said as it is.
  }
  return (
    text
      .replaceAll(/<[^>]*>|\s+/g, ' ')
      .trim()
      .slice(0, 200) || 'nothing'
  )
}

/** Adds what the platform's app proxy adds (spec 2, Authentication). */
function sign(query: URLSearchParams, shop: string, secret: string): void {
  query.set('shop', shop)
  query.set('logged_in_customer_id', '')
  query.set('path_prefix', '/apps/svc-api')
  query.set('timestamp', String(Math.floor(Temporal.Now.instant().epochMilliseconds / 1000)))
  const signed = [...query].map(([name, value]) => `${name}=${value}`).sort()
  query.set('signature', createHmac('sha256', secret).update(signed.join('')).digest('hex'))
}

/** The address of a shop: a bare domain is one of https. */
export function shopAddress(given: string): URL {
  const url = URL.parse(/^https?:\/\//i.test(given) ? given : `https://${given}`)
  if (!url || url.username || url.password || url.search || url.hash) {
    throw badUsage(`the shop must be a domain or an address such as https://corner-shop.example, not ${given}`)
  }
  return url
}
