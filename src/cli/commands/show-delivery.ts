import type { Document } from '../admin-api.ts'
import { facts, harmless, lines, table } from '../print.ts'

/** A delivery with its payload, every attempt, and the commands that send it again. */
export function formatDelivery(delivery: Document, store: string): string {
  const { payload, body: _, history, endpoint_kind: __, ...rest } = delivery
  const tries = (history as Document[]).map((one) => ({
    ...one,
    response: responseOf(one),
    response_body: shortened(String(one.response_body))
  }))
  return (
    facts({ ...rest, endpoint: endpointOf(delivery), status: statusOf(delivery) }) +
    '\n' +
    table(
      ['number', 'started_at', 'status', 'response', 'response_body'],
      'There are no attempts yet.'
    )({ data: tries }) +
    remedy([delivery]) +
    lines(['', ...JSON.stringify(payload, null, 2).split('\n').map(harmless)]) +
    next(delivery, store)
  )
}

/** The rows of the delivery history. */
export function formatHistory({ data, next }: Document, store: string): string {
  const rows = (data as Document[]).map((delivery) => ({
    ...delivery,
    endpoint: endpointOf(delivery),
    status: statusOf(delivery),
    response: responseOf(delivery)
  }))
  const columns = [
    'webhook_id',
    'created_at',
    'event',
    'object',
    'endpoint',
    'status',
    'tries',
    'response',
    'next_try_at'
  ]
  const more = next ? ['', `For the next page add --before ${next}`] : []
  const hint =
    rows.length > 0 ? ['', `To see a delivery: perennial webhook delivery <webhook_id> --store ${store}`] : []
  return (
    table(columns, 'There are no such deliveries.')({ data: rows }) +
    remedy(data as Document[]) +
    lines([...more, ...hint])
  )
}

const shortened = (text: string) => (text.length > 80 ? `${text.slice(0, 79)}…` : text)

/** A listener is `perennial listen`. */
export function endpointOf({ endpoint, endpoint_kind }: Document): string {
  return `${endpoint}${endpoint_kind === 'listener' ? ' (listener)' : ''}`
}

function statusOf({ status, cancelled, test }: Document): string {
  return `${cancelled ? 'failed, cancelled' : status}${test ? ' (test)' : ''}`
}

function responseOf({ response_code, response_time_ms, failure }: Document): string {
  if (response_time_ms === null) return String(failure ?? '-')
  // `status` only says that the response code is not 2xx.
  const word = failure === 'status' ? null : failure
  return [response_code, word, `in ${response_time_ms} ms`].filter((part) => part !== null).join(' ')
}

/** What to do about failures that the operator can end; nothing for the others. */
function remedy(deliveries: Document[]): string {
  if (!deliveries.some(({ failure }) => failure === 'address_refused')) return ''
  return lines([
    '',
    'address_refused: the service does not send to this address.',
    '  An address of this machine needs a sandbox store, and SANDBOX=on at every node that sends (role all or worker).',
    '  A private network must be listed in WEBHOOK_ALLOWED_ADDRESSES at those nodes.'
  ])
}

function next({ status, webhook_id, endpoint, endpoint_kind, cancelled }: Document, store: string): string {
  if (status !== 'failed') return ''
  if (endpoint_kind === 'listener' && cancelled) return ''
  const first = cancelled ? [`  perennial webhook enable --store ${store} --id ${endpoint}`] : []
  return lines(['', 'To send it again:', ...first, `  perennial webhook resend ${webhook_id} --store ${store}`])
}
