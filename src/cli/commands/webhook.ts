import type { Command } from 'commander'
import type { Document } from '../admin-api.ts'
import { addCommand, requireOneOf, type Terminal } from '../command.ts'
import { type Flags, needed, optional, text, wholeNumber } from '../flags.ts'
import { facts, lines, table } from '../print.ts'
import { eventTypes, eventTypesOrAll, orEvery } from './event-types.ts'
import { storeFlag, storePath } from './store-flag.ts'
import { addDeliveryCommands } from './webhook-deliveries.ts'
import { addTestCommand } from './webhook-test.ts'

const endpointFlag = needed('--id <endpoint>', text('an endpoint id such as we_2'))
const description = optional('--description <text>', text('what the receiver is, in a line'))

/** What a receiver has from the start and can be given anew. */
const settings = {
  url: optional('--url <url>', text('the https address of the receiver')),
  events: optional('--events <types>', eventTypes),
  description: optional('--description <text>', {
    accepts: 'what the receiver is, in a line; "" for none',
    read: (given: string) => given
  })
} satisfies Flags

const endpointPath = (store: string, id: string, rest = '') =>
  storePath(store, `/webhooks/${encodeURIComponent(id)}${rest}`)

export function addWebhookCommands(program: Command, terminal: Terminal): void {
  const webhook = program.command('webhook').description("who hears of a store's events, and how sending went")

  addCommand(webhook, terminal, {
    name: 'create',
    summary: 'send events to a receiver; the secret that signs them is shown only now',
    flags: {
      store: storeFlag,
      url: needed('--url <url>', text('the https address of the receiver')),
      events: optional('--events <types>', eventTypesOrAll),
      description
    },
    run: ({ store, events, ...requested }, { api }) =>
      api().post(storePath(store, '/webhooks'), { ...requested, events: orEvery(events) }),
    show: (made, { store }) =>
      shownWhole(made) +
      lines([
        '',
        'Keep the secret: it is not shown again. See whether the receiver works:',
        `  perennial webhook test --store ${store} --id ${made.id} --event ${(made.events as string[])[0]}`
      ])
  })

  addCommand(webhook, terminal, {
    name: 'list',
    summary: 'the receivers of a store, newest first',
    flags: { store: storeFlag },
    run: ({ store }, { api }) => api().get(storePath(store, '/webhooks')),
    show: ({ data }) =>
      table(
        ['id', 'url', 'events', 'status', 'disabled_reason', 'failing_since', 'created_at'],
        'The store has no receiver yet.'
      )({
        data: (data as Document[]).map((endpoint) => ({
          ...endpoint,
          url: endpoint.kind === 'listener' ? 'a terminal that listens' : endpoint.url,
          events: howMany(endpoint)
        }))
      })
  })

  addCommand(webhook, terminal, {
    name: 'show',
    summary: 'one receiver',
    flags: { store: storeFlag, id: endpointFlag },
    run: ({ store, id }, { api }) => api().get(endpointPath(store, id)),
    show: shownWhole
  })

  addCommand(webhook, terminal, {
    name: 'update',
    summary: 'change the address, event types or description of a receiver',
    flags: { store: storeFlag, id: endpointFlag, ...settings },
    run: ({ store, id, ...changes }, { api }) => {
      requireOneOf(settings, changes)
      return api().patch(endpointPath(store, id), { ...changes, events: orEvery(changes.events) })
    },
    show: shownWhole
  })

  addCommand(webhook, terminal, {
    name: 'enable',
    summary: 'send to a receiver again, from the next event on',
    flags: { store: storeFlag, id: endpointFlag },
    run: ({ store, id }, { api }) => api().post(endpointPath(store, id, '/enable'), {}),
    show: (enabled, { store }) =>
      shownWhole(enabled) +
      lines([
        '',
        'What was given up for it can be sent again:',
        `  perennial webhook resend-failed --store ${store} --endpoint ${enabled.id} --since <time>`
      ])
  })

  addCommand(webhook, terminal, {
    name: 'disable',
    summary: 'send nothing more to a receiver; what waits for it is given up',
    flags: {
      store: storeFlag,
      id: endpointFlag,
      reason: optional('--reason <text>', text('why, in a line of at most 200 characters (default: Disabled by hand)'))
    },
    run: ({ store, id, reason }, { api }) => api().post(endpointPath(store, id, '/disable'), { reason }),
    show: shownWhole
  })

  addCommand(webhook, terminal, {
    name: 'delete',
    summary: 'end a receiver for good; its history stays',
    flags: { store: storeFlag, id: endpointFlag },
    run: ({ store, id }, { api }) => api().delete(endpointPath(store, id)),
    show: ({ id }) => `${id} is deleted; what waited for it has been given up.\n`
  })

  addCommand(webhook, terminal, {
    name: 'roll',
    summary: 'give a receiver a new secret, which is shown only now',
    flags: {
      store: storeFlag,
      id: endpointFlag,
      overlap: optional('--overlap <hours>', {
        ...wholeNumber(0, 168),
        accepts: 'for how many hours the old secret signs too, from 0 to 168 (default: 24)'
      })
    },
    run: ({ store, id, overlap }, { api }) => api().post(endpointPath(store, id, '/roll'), { overlap }),
    show: (rolled, { store }) =>
      shownWhole(rolled) +
      lines([
        '',
        'Keep the secret: it is not shown again.',
        ...(rolled.previous_secret_until
          ? [
              `Until ${rolled.previous_secret_until} the old one still signs X-Svc-Signature, and this one X-Svc-Signature-Next:`,
              'the receiver must accept either, or both secrets. Once every process of it has this one:',
              `  perennial webhook end-roll --store ${store} --id ${rolled.id}`
            ]
          : ['The old one no longer signs: give the receiver this one now.'])
      ])
  })

  addCommand(webhook, terminal, {
    name: 'end-roll',
    summary: 'forget the old secret of a receiver now',
    flags: { store: storeFlag, id: endpointFlag },
    run: ({ store, id }, { api }) => api().post(endpointPath(store, id, '/end-roll'), {}),
    show: ({ id }) => `Only the new secret of ${id} signs from now on, in X-Svc-Signature.\n`
  })

  addTestCommand(webhook, terminal)
  addDeliveryCommands(webhook, terminal)
}

function shownWhole({ all_events, ...endpoint }: Document): string {
  return facts({ ...endpoint, events: all_events ? 'all, those to come included' : endpoint.events })
}

function howMany({ all_events, events }: Document): string {
  return all_events ? 'all' : String((events as string[]).length)
}
