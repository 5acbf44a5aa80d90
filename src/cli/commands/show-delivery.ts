import type { Document } from '../admin-api.ts'
import { facts, harmless, lines, table } from '../print.ts'

/** A delivery with its payload and every try, and what can be done next. */
export function formatDelivery(delivery: Document, store: string): string {
  const { payload, body: _, history, endpoint_kind: __, ...rest } = delivery
  const tries = (history as Document[]).map((one) => ({
    ...one,
    answer: answerOf(one),
    answered: shortened(String(one.response_body))
  }))
  return (
    facts({ ...rest, endpoint: endpointOf(delivery), status: statusOf(delivery) }) +
    '\n' +
    table(['number', 'started_at', 'status', 'answer', 'answered'], 'It has not been tried yet.')({ data: tries }) +
    lines(['', ...JSON.stringify(payload, null, 2).split('\n').map(harmless)]) +
    next(delivery, store)
  )
}

/** Rows of the history, as wide as they need to be. */
export function formatHistory({ data, next }: Document, store: string): string {
  const rows = (data as Document[]).map((delivery) => ({
    ...delivery,
    endpoint: endpointOf(delivery),
    status: statusOf(delivery),
    answer: answerOf(delivery)
  }))
  const columns = [
    'webhook_id',
    'created_at',
    'event',
    'object',
    'endpoint',
    'status',
    'tries',
    'answer',
    'next_try_at'
  ]
  const more = next ? ['', `There is more: add --before ${next}`] : []
  const hint = rows.length > 0 ? ['', `To see one whole: perennial webhook delivery <webhook_id> --store ${store}`] : []
  return table(columns, 'No delivery matches.')({ data: rows }) + lines([...more, ...hint])
}

const shortened = (text: string) => (text.length > 80 ? `${text.slice(0, 79)}…` : text)

/** A terminal (`perennial listen`) fetches what is for it, and is there only while it listens. */
export function endpointOf({ endpoint, endpoint_kind }: Document): string {
  return `${endpoint}${endpoint_kind === 'listener' ? ' (terminal)' : ''}`
}

function statusOf({ status, cancelled, test }: Document): string {
  return `${cancelled ? 'failed, given up' : status}${test ? ' (test)' : ''}`
}

function answerOf({ response_code, response_time_ms, failure }: Document): string {
  if (response_time_ms === null) return '-'
  // `status` says only that the code beside it is no 2xx.
  const word = failure === 'status' ? null : failure
  return [response_code, word, `in ${response_time_ms} ms`].filter((part) => part !== null).join(' ')
}

function next({ status, webhook_id, endpoint, endpoint_kind, cancelled }: Document, store: string): string {
  if (status !== 'failed') return ''
  if (endpoint_kind === 'listener' && cancelled) return ''
  const first = cancelled ? [`  perennial webhook enable --store ${store} --id ${endpoint}`] : []
  return lines(['', 'To send it again:', ...first, `  perennial webhook resend ${webhook_id} --store ${store}`])
}
