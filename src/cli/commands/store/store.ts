import type { Command } from 'commander'
import type { SettingsSection } from '#kit/define-settings'
import type { Document } from '../../admin-api.ts'
import { addCommand, type Terminal } from '../../command.ts'
import { instant, needed, oneOf, optional, secret, text, toggle } from '../../flags.ts'
import { facts, lines, table } from '../../print.ts'
import { storeFlag, storePath } from '../store-flag.ts'
import { addDeleteStoreCommand } from './delete-store.ts'
import { addStoreSettingsCommand } from './store-settings.ts'

export function addStoreCommands(program: Command, terminal: Terminal, sections: readonly SettingsSection[]): void {
  const store = program.command('store').description('stores of this installation')

  addCommand(store, terminal, {
    name: 'create',
    summary: 'create a store; its secrets are shown only once',
    flags: {
      domain: needed('--domain <host>', text('a host name such as shop.example.com')),
      name: needed('--name <name>', text('the name of the store')),
      timezone: needed('--timezone <zone>', text('an IANA time zone such as Europe/Vienna')),
      currency: needed('--currency <code>', text('an ISO 4217 code such as USD')),
      plan: needed('--plan <plan>', {
        ...oneOf('starter', 'growth', 'enterprise'),
        accepts: 'the rate limits of its API keys: starter, growth or enterprise'
      }),
      sandbox: toggle('--sandbox', 'create the store on the sandbox platform'),
      clock: optional('--clock <instant>', {
        ...instant,
        accepts: `with --sandbox, the initial time of the test clock: ${instant.accepts}`
      }),
      profile: optional('--profile <name>', oneOf('platform', 'shopify')),
      platformUrl: optional('--platform-url <url>', text("the address of the store's platform")),
      accessToken: optional('--access-token <token>', secret("the platform's access token")),
      appSecret: optional('--app-secret <secret>', secret("the app's secret on the platform")),
      proxySecret: optional('--proxy-secret <secret>', secret('the secret of the app proxy (default: the app secret)'))
    },
    run: ({ platformUrl, accessToken, appSecret, proxySecret, ...facts }, { api }) =>
      api().post('/stores', {
        ...facts,
        platform_url: platformUrl,
        access_token: accessToken,
        app_secret: appSecret,
        proxy_secret: proxySecret
      }),
    show: facts
  })

  addCommand(store, terminal, {
    name: 'list',
    summary: 'list all stores, oldest first',
    flags: {},
    run: (_, { api }) => api().get('/stores'),
    show: ({ data, ...rest }) => listed({ ...rest, data: (data as Document[]).map(withOneStatus) })
  })

  addCommand(store, terminal, {
    name: 'show',
    summary: 'show a store, without its secrets',
    flags: { store: storeFlag },
    run: ({ store }, { api }) => api().get(storePath(store)),
    show: facts
  })

  addCommand(store, terminal, {
    name: 'connect',
    summary: 'connect a disconnected store again, or give one another token, and reconcile everything that was missed',
    flags: {
      store: storeFlag,
      platformUrl: optional('--platform-url <url>', text("the address of the store's platform")),
      accessToken: optional('--access-token <token>', secret("the platform's access token")),
      appSecret: optional('--app-secret <secret>', secret("the app's secret on the platform")),
      proxySecret: optional('--proxy-secret <secret>', secret('the secret of the app proxy'))
    },
    settles: true,
    run: ({ store, platformUrl, accessToken, appSecret, proxySecret }, { api }) =>
      api().post(storePath(store, '/connect'), {
        platform_url: platformUrl,
        access_token: accessToken,
        app_secret: appSecret,
        proxy_secret: proxySecret
      }),
    show: ({ was_connected: wasConnected, ...connected }, { store }) =>
      facts(connected) +
      lines(['', ...(wasConnected ? ['The store was connected; its connection was checked.'] : caughtUp(store))])
  })

  addCommand(store, terminal, {
    name: 'disconnect',
    summary: 'stop all work with the platform of a store; all data stays',
    flags: { store: storeFlag },
    run: ({ store }, { api }) => api().post(storePath(store, '/disconnect'), {}),
    show: ({ domain, webhooks_removed }, { store }) =>
      lines([
        `${domain} is disconnected: nothing is billed any more, and its API keys are refused. All data stays.`,
        ...(webhooks_removed
          ? []
          : ["The service's webhooks on the platform could not be removed; it refuses what they send."]),
        'To connect it again:',
        `  perennial store connect --store ${store}`,
        ...caughtUp(store),
        'To delete it with everything that it has:',
        `  perennial store delete --store ${store}`
      ])
  })

  addDeleteStoreCommand(store, terminal)

  addCommand(store, terminal, {
    name: 'reconcile',
    summary: 'compare a store with its platform and correct differences',
    flags: { store: storeFlag, show: toggle('--show', 'only show the state of the last runs') },
    settles: true,
    run: async ({ store, show }, { api, answer }) => {
      const path = storePath(store, '/reconcile')
      if (show) return api().get(path)
      const { sandbox } = await api().get(storePath(store))
      const reconciled = await api().post(path, {})
      if (sandbox) return reconciled
      answer(
        reconciled,
        () =>
          `The platform is read in the background. To see the result:\n  perennial store reconcile --store ${store} --show\n`
      )
      return null
    },
    show: table(
      ['kind', 'known_until', 'seen', 'changed', 'finished_at', 'next_at', 'failures', 'last_error'],
      'This store is not reconciled.'
    )
  })

  addCommand(store, terminal, {
    name: 'release',
    summary: 'end the hold of a store that was restored from a backup, although its platform was not read to the end',
    flags: { store: storeFlag },
    settles: true,
    run: ({ store }, { api }) => api().post(storePath(store, '/release'), {}),
    show: facts
  })

  addStoreSettingsCommand(store, terminal, sections)
}

/** What becomes of charges that fell due while a store could not be billed. */
const caughtUp = (store: string) => [
  'Of the cycles that fell due while it was not connected the latest is billed, or all: the setting catch_up decides.',
  `  perennial store settings --store ${store}`
]

const listed = table(
  ['id', 'domain', 'name', 'timezone', 'currency', 'plan', 'sandbox', 'clock', 'status', 'restored_at'],
  'There are no stores yet.'
)

/** A store whose creation was not finished has the status `active`, and is not connected. */
const withOneStatus = (store: Document): Document => (store.connected ? store : { ...store, status: 'not connected' })
