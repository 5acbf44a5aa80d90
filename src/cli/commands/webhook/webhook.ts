import type { Command } from 'commander'
import type { Document } from '../../admin-api.ts'
import { addCommand, requireOneOf, type Terminal } from '../../command.ts'
import { type Flags, needed, optional, text, wholeNumber } from '../../flags.ts'
import { facts, lines, table } from '../../print.ts'
import { eventTypes, eventTypesOrAll, orEvery } from '../event-types.ts'
import { storeFlag, storePath } from '../store-flag.ts'
import { addDeliveryCommands } from './webhook-deliveries.ts'
import { addTestCommand } from './webhook-test.ts'

const endpointFlag = needed('--id <endpoint>', text('an endpoint id such as we_2'))
const description = optional('--description <text>', text('a description of the endpoint, one line'))

/** Settings that can be given at creation and changed later. */
const settings = {
  url: optional('--url <url>', text('the https URL of the receiver')),
  events: optional('--events <types>', eventTypes),
  description: optional('--description <text>', {
    accepts: 'a description of the endpoint, one line; "" for none',
    read: (given: string) => given
  })
} satisfies Flags

/** Where the count of missed events ends. */
const MAX_COUNTED = 10_000

const endpointPath = (store: string, id: string, rest = '') =>
  storePath(store, `/webhooks/${encodeURIComponent(id)}${rest}`)

export function addWebhookCommands(program: Command, terminal: Terminal): void {
  const webhook = program.command('webhook').description('webhook endpoints of a store and deliveries to them')

  addCommand(webhook, terminal, {
    name: 'create',
    summary: 'create an endpoint that receives events; its signing secret is shown only once',
    flags: {
      store: storeFlag,
      url: needed('--url <url>', text('the https URL of the receiver')),
      events: optional('--events <types>', eventTypesOrAll),
      description
    },
    run: ({ store, events, ...requested }, { api }) =>
      api().post(storePath(store, '/webhooks'), { ...requested, events: orEvery(events) }),
    show: (created, { store }) =>
      shownWhole(created) +
      lines([
        '',
        'Save the secret: it is not shown again. To test the endpoint:',
        `  perennial webhook test --store ${store} --id ${created.id} --event ${(created.events as string[])[0]}`
      ])
  })

  addCommand(webhook, terminal, {
    name: 'list',
    summary: 'list the endpoints of a store, newest first',
    flags: { store: storeFlag },
    run: ({ store }, { api }) => api().get(storePath(store, '/webhooks')),
    show: ({ data }, { store }) => formatEndpoints(data as Document[], store)
  })

  addCommand(webhook, terminal, {
    name: 'show',
    summary: 'show an endpoint',
    flags: { store: storeFlag, id: endpointFlag },
    run: ({ store, id }, { api }) => api().get(endpointPath(store, id)),
    show: shownWhole
  })

  addCommand(webhook, terminal, {
    name: 'update',
    summary: 'change the URL, event types or description of an endpoint',
    flags: { store: storeFlag, id: endpointFlag, ...settings },
    run: ({ store, id, ...changes }, { api }) => {
      requireOneOf(settings, changes)
      return api().patch(endpointPath(store, id), { ...changes, events: orEvery(changes.events) })
    },
    show: shownWhole
  })

  addCommand(webhook, terminal, {
    name: 'enable',
    summary: 'enable an endpoint; it receives events from now on',
    flags: { store: storeFlag, id: endpointFlag },
    run: ({ store, id }, { api }) => api().post(endpointPath(store, id, '/enable'), {}),
    show: (enabled, { store }) => shownWhole(enabled) + lines(notReceived(enabled, store))
  })

  addCommand(webhook, terminal, {
    name: 'disable',
    summary: 'disable an endpoint; its open deliveries are cancelled',
    flags: {
      store: storeFlag,
      id: endpointFlag,
      reason: optional(
        '--reason <text>',
        text('the reason, one line of at most 200 characters (default: Disabled by hand)')
      )
    },
    run: ({ store, id, reason }, { api }) => api().post(endpointPath(store, id, '/disable'), { reason }),
    show: shownWhole
  })

  addCommand(webhook, terminal, {
    name: 'delete',
    summary: 'delete an endpoint; its delivery history stays',
    flags: { store: storeFlag, id: endpointFlag },
    run: ({ store, id }, { api }) => api().delete(endpointPath(store, id)),
    show: ({ id }) => `${id} is deleted. Its open deliveries are cancelled.\n`
  })

  addCommand(webhook, terminal, {
    name: 'roll',
    summary: 'give an endpoint a new secret, which is shown only once',
    flags: {
      store: storeFlag,
      id: endpointFlag,
      overlap: optional('--overlap <hours>', {
        ...wholeNumber(0, 168),
        accepts: 'hours during which the old secret also signs, from 0 to 168 (default: 24)'
      })
    },
    run: ({ store, id, overlap }, { api }) => api().post(endpointPath(store, id, '/roll'), { overlap }),
    show: (rolled, { store }) =>
      shownWhole(rolled) +
      lines([
        '',
        'Save the secret: it is not shown again.',
        ...(rolled.previous_secret_until
          ? [
              `Until ${rolled.previous_secret_until} the old secret signs X-Svc-Signature and the new one X-Svc-Signature-Next.`,
              'The receiver must accept either header, or know both secrets. When all its processes have the new secret:',
              `  perennial webhook end-roll --store ${store} --id ${rolled.id}`
            ]
          : ['The old secret no longer signs. Give the receiver the new one now.'])
      ])
  })

  addCommand(webhook, terminal, {
    name: 'end-roll',
    summary: 'stop signing with the old secret of an endpoint',
    flags: { store: storeFlag, id: endpointFlag },
    run: ({ store, id }, { api }) => api().post(endpointPath(store, id, '/end-roll'), {}),
    show: ({ id }) => `Only the newest secret of ${id} signs, in X-Svc-Signature.\n`
  })

  addTestCommand(webhook, terminal)
  addDeliveryCommands(webhook, terminal)
}

/** `out of tries` counts the deliveries that are not retried any more; an endpoint may fail and have none of these yet. */
function formatEndpoints(endpoints: Document[], store: string): string {
  const rows = endpoints.map((endpoint) => ({
    ...endpoint,
    url: endpoint.kind === 'listener' ? 'perennial listen' : endpoint.url,
    events: howMany(endpoint),
    status: isFailing(endpoint) ? 'failing' : endpoint.status,
    out_of_tries: endpoint.failed_deliveries
  }))
  const columns = ['id', 'url', 'events', 'status', 'disabled_reason', 'failing_since', 'out_of_tries', 'created_at']
  return (
    table(columns, 'The store has no endpoints yet.')({ data: rows }) +
    (endpoints.some(isFailing)
      ? lines(['', `To see what is retried: perennial webhook deliveries --store ${store} --status retrying`])
      : '')
  )
}

/** A listener is tried once: there is nothing to repair before the next delivery. */
const isFailing = ({ kind, status, failing_since }: Document) =>
  kind === 'url' && status === 'enabled' && failing_since !== null

/** What an endpoint did not get while it failed or was disabled, and how to send it. Nothing where it was enabled. */
function notReceived(enabled: Document, store: string): string[] {
  const { id, undelivered_since, missed_events, missed_after_sequence } = enabled
  if (undelivered_since === null) return []
  const missed = Number(missed_events)
  const resend = `  perennial webhook resend-failed --store ${store} --endpoint ${id} --since ${undelivered_since}`
  const fetch = `Or let the receiver fetch all of that: GET /v1/events?since=${missed_after_sequence}`
  if (missed === 0) {
    return [
      '',
      'To send again what failed or was cancelled since then:',
      resend,
      ...(missed_after_sequence === null ? [] : [fetch])
    ]
  }
  return [
    '',
    `While it was disabled, ${missed === MAX_COUNTED ? `at least ${missed} events` : missed === 1 ? 'one event' : `${missed} events`} of its types occurred, which ${missed === 1 ? 'was' : 'were'} not queued for it.`,
    `To send ${missed === 1 ? 'it' : 'them'}, and again what failed or was cancelled since ${undelivered_since}:`,
    `${resend} --missed`,
    fetch
  ]
}

function shownWhole({ all_events, ...endpoint }: Document): string {
  return facts({ ...endpoint, events: all_events ? 'all, including future types' : endpoint.events })
}

function howMany({ all_events, events }: Document): string {
  return all_events ? 'all' : String((events as string[]).length)
}
