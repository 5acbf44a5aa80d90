import { readFile } from 'node:fs/promises'
import { gunzipSync } from 'node:zlib'
import type { Command } from 'commander'
import { DOMAIN_NAME } from '#kit/texts'
import type { Document } from '../../admin-api.ts'
import { addCommand, type Terminal } from '../../command.ts'
import { CommandError } from '../../command-error.ts'
import { matching, needed, optional, text, toggle } from '../../flags.ts'
import { facts, lines, table } from '../../print.ts'
import { storeFlag, storePath } from '../store-flag.ts'
import { addReadInCommand } from './read-in.ts'

/** What the service knows of its platform; passed in, because the command line imports nothing of the service. */
export type PlatformParts = {
  platform: () => Promise<{
    accessScopes: readonly { scope: string; optional: boolean; neededFor: string; without: string; approval?: string }[]
    appConfig(app: { clientId: string; url: string; allOrders: boolean }): string
    neededApprovals(): { approval: string; scopes: string[] }[]
    checkSchema(sdl: string): Promise<{ pinned: string; documents: number; changes: Document[] }>
  }>
}

/** The app on the platform, and the connections of stores to it. */
export function addPlatformCommands(program: Command, terminal: Terminal, { platform }: PlatformParts): void {
  const group = program.command('platform').description('the app on the platform, and how stores are connected to it')

  addCommand(group, terminal, {
    name: 'scopes',
    summary: 'list the access scopes that the app requests, why, what stops without each, and what a store has granted',
    flags: { store: optional('--store <store>', text("a store's domain or id, to show what it has granted")) },
    run: async ({ store }, { api }) => {
      if (store !== undefined) return { data: (await api().get(storePath(store, '/platform'))).scopes }
      const { accessScopes } = await platform()
      return {
        data: accessScopes.map(({ scope, optional, neededFor, without, approval }) => ({
          scope,
          optional,
          needed_for: neededFor,
          without,
          approval: approval ?? null
        }))
      }
    },
    show: ({ data }) => lines((data as Document[]).flatMap(described))
  })

  addCommand(group, terminal, {
    name: 'show',
    summary: 'show how a store is connected: its access token, without the text, and its access scopes',
    flags: { store: storeFlag },
    run: ({ store }, { api }) => api().get(storePath(store, '/platform')),
    show: ({ scopes, ...rest }) => facts(rest) + lines(['', ...accessOf(rest, scopes as Document[])])
  })

  addCommand(group, terminal, {
    name: 'webhooks',
    summary: "list the app's webhook subscriptions on a store's platform, and what is wrong with each",
    flags: { store: storeFlag },
    run: ({ store }, { api }) => api().get(storePath(store, '/platform/webhooks')),
    show: table(['topic', 'uri', 'problem'], 'The service receives no topic.')
  })

  addCommand(group, terminal, {
    name: 'repair',
    summary:
      'register the webhooks of a store again where they are wrong, and read its scopes and its shop, done every hour too; process again what failed of its messages',
    flags: { store: storeFlag },
    run: ({ store }, { api }) => api().post(storePath(store, '/platform/check'), {}),
    show: ({ changed, messages_retried: retried }) =>
      lines([
        changed === 0 ? 'Everything was right.' : `Corrected: ${changed}`,
        ...(retried === 0 ? [] : [`Messages of the platform that had failed and are processed again: ${retried}`])
      ])
  })

  addReadInCommand(group, terminal)

  addCommand(group, terminal, {
    name: 'discounts',
    summary:
      'show the discounts that give members their prices at the checkout, as they were last compared with the platform, and which perks they do not give',
    flags: { store: storeFlag },
    run: ({ store }, { api }) => api().get(storePath(store, '/platform/discounts')),
    show: shownDiscounts
  })

  addCommand(group, terminal, {
    name: 'sync-discounts',
    summary:
      'correct the discounts of members now where somebody has changed or deleted them; done every hour too; the exit code is 1 when the platform refuses',
    flags: { store: storeFlag },
    settles: true,
    run: async ({ store }, { api, failed }) => {
      const synced = await api().post(storePath(store, '/platform/discounts/sync'), {})
      const refused = (synced.discounts as Document[]).some(({ problem }) => problem !== null)
      if (refused || synced.last_error !== null) failed()
      return synced
    },
    show: shownDiscounts
  })

  addCommand(group, terminal, {
    name: 'install-link',
    summary: 'print the link at which the people of a shop install the app, or grant it a token again',
    flags: {
      shop: needed(
        '--shop <domain>',
        matching('the domain of a shop such as books.myshopify.com, without https:// and without a path', ANY_DOMAIN)
      )
    },
    run: async ({ shop }, { api }) => ({
      link: `${(await api().get('/platform/app')).install_url}${encodeURIComponent(shop)}`
    }),
    show: ({ link }) => lines([String(link)])
  })

  addCommand(group, terminal, {
    name: 'app-config',
    summary:
      "print the app's configuration file, shopify.app.toml, and list on standard error what the platform must approve",
    flags: {
      clientId: optional('--client-id <id>', text('the client id of the app (default: that of the service)')),
      url: optional(
        '--url <url>',
        matching('an https address without a path (default: PUBLIC_URL of the service)', /^https?:\/\/[^/\s]+$/)
      ),
      allOrders: toggle('--all-orders', 'ask for orders older than 60 days, which the platform must have approved')
    },
    run: async ({ clientId, url, allOrders }, { api, err, json }) => {
      const { appConfig, neededApprovals } = await platform()
      const app: Document = clientId === undefined || url === undefined ? await api().get('/platform/app') : {}
      const id = clientId ?? (app.client_id as string | null) ?? NO_CLIENT_ID
      const config = appConfig({
        clientId: id,
        url: url ?? (app.public_url as string),
        allOrders: allOrders ?? app.all_orders === true
      })
      const approvals = neededApprovals()
      if (!json) err.write(lines(['Approvals that a public app needs:', ...approvals.map(inOneLine)]))
      return { config, approvals }
    },
    show: ({ config }) => String(config)
  })

  addCommand(group, terminal, {
    name: 'check',
    summary:
      'say what another version of the Admin API would change for the service; the exit code is 1 when something breaks',
    flags: {
      schema: needed(
        '--schema <file>',
        text(
          "a file with its schema in GraphQL's own language, perhaps compressed (.gz); docs/connect-a-store.md says how a shop writes it"
        )
      )
    },
    run: async ({ schema }, { failed }) => {
      const { checkSchema } = await platform()
      const checked = await readSchemaFile(schema)
        .then(checkSchema)
        .catch((err: Error) => {
          throw new CommandError('invalid_request', `--schema ${schema} cannot be read: ${err.message}`)
        })
      if (checked.changes.some(({ kind }) => kind === 'breaks')) failed()
      return { pinned: checked.pinned, documents: checked.documents, data: checked.changes }
    },
    show: (document) =>
      lines([`Compared with ${document.pinned}, for which ${document.documents} documents are written:`]) +
      table(['kind', 'what', 'message'], 'It changes nothing for the service.')(document)
  })
}

function shownDiscounts({ discounts, not_enforced: missing, ...rest }: Document): string {
  const notEnforced = missing as Document[]
  return (
    facts(rest) +
    lines(['', asOf(rest)]) +
    table(['slot', 'platform_id', 'active', 'problem'], 'There are no discounts of the service.')({ data: discounts }) +
    lines(['', headingOf(rest, notEnforced)]) +
    lines(notEnforced.map(({ plan_type, field, message }) => `  ${plan_type} ${field}: ${message}`))
  )
}

/** The discounts are those of the last comparison: what somebody has done to them since then is not seen. */
function asOf({ compared_at: comparedAt, next_comparison_at: nextAt }: Document): string {
  const next =
    nextAt === null
      ? ''
      : `; the next comparison is at ${nextAt} (real time), or now: perennial platform sync-discounts`
  return comparedAt === null
    ? `The discounts were not compared with the platform yet${next}`
    : `The discounts as of ${comparedAt}, when they were last compared with the platform${next}`
}

function headingOf({ enforced_by: enforcedBy }: Document, notEnforced: Document[]): string {
  if (enforcedBy === 'off')
    return 'The service gives members no price: a theme or another app is expected to (--discounts-by of store settings).'
  return notEnforced.length === 0 ? 'Members get every perk of the main plans.' : 'Members do not get:'
}

/** In any case of letters; what the service then accepts depends on the platform. */
const ANY_DOMAIN = new RegExp(DOMAIN_NAME, 'i')

/** Stands in the file where none is configured yet: the platform's command line fills it in. */
const NO_CLIENT_ID = 'YOUR_CLIENT_ID'

const described = ({ scope, granted, optional, needed_for, without, approval }: Document): string[] => [
  `${scope}${optional ? ' (optional)' : ''}${granted === undefined ? '' : granted === null ? ': not known' : granted ? ': granted' : ': MISSING'}`,
  `    needed for    ${needed_for}`,
  `    without it    ${without}`,
  ...(approval ? [`    approval      ${approval}`] : [])
]

/** What the app may do in the shop. The scopes that were granted say nothing where it is no longer installed, or its token is refused. */
function accessOf({ domain, status, token_refused_at: refusedAt }: Document, scopes: Document[]): string[] {
  if (status === 'deleting') return ['The store is being deleted.']
  if (status === 'disconnected')
    return [
      'The store is not connected: the app has no access to the shop.',
      `To connect it, open the app in the shop's admin; perennial status --store ${domain} has the other ways.`
    ]
  if (refusedAt !== null)
    return [`The platform refuses the access token; perennial status --store ${domain} says what to do.`]
  return missing(scopes)
}

function missing(scopes: Document[]): string[] {
  if (scopes.every(({ granted }) => granted === null))
    return ['The access scopes are not known yet; perennial platform repair reads them.']
  const lacking = scopes.filter(({ granted, optional }) => granted === false && !optional)
  if (lacking.length === 0) return ['All access scopes are granted.']
  return lacking.map(({ scope, without }) => `${scope} is missing: ${without}`)
}

const inOneLine = ({ approval, scopes }: { approval: string; scopes: string[] }) =>
  `- ${approval} (${scopes.join(', ')})`

async function readSchemaFile(path: string): Promise<string> {
  const bytes = await readFile(path)
  return (path.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString()
}
