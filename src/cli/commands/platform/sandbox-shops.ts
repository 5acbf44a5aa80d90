import type { Command } from 'commander'
import { addCommand, requireOneOf, type Terminal } from '../../command.ts'
import { type Flags, needed, oneOf, optional, text } from '../../flags.ts'
import { facts, lines } from '../../print.ts'
import { storeFlag, storePath } from '../store-flag.ts'

const access = {
  without: optional('--without <scopes>', text('access scopes to take away, separated by commas; none grants all')),
  token: optional('--token <change>', {
    ...oneOf('expire', 'revoke'),
    accepts: 'expire (the token ends, as after an hour) or revoke (with its refresh token)'
  })
} satisfies Flags

/** Shops of the sandbox as the platform has them before and beside a store. */
export function addSandboxShopCommands(sandbox: Command, terminal: Terminal): void {
  addCommand(sandbox, terminal, {
    name: 'open-shop',
    summary: 'open a shop that has not installed the app: a development store, to connect as on the real platform',
    flags: {
      domain: needed('--domain <host>', text('a host name such as dev.example')),
      name: needed('--name <name>', text('the name of the shop')),
      timezone: needed('--timezone <zone>', text('an IANA time zone such as Europe/Vienna')),
      currency: needed('--currency <code>', text('an ISO 4217 code such as USD'))
    },
    run: (shop, { api }) => api().post('/sandbox/shops', shop),
    show: ({ domain, admin_url }) =>
      lines([`${domain} is open, and has not installed the app. Its admin:`, `  ${admin_url}`])
  })

  addCommand(sandbox, terminal, {
    name: 'access',
    summary: "the shop takes access scopes away from the app, or ends the app's access token",
    flags: { store: storeFlag, ...access },
    settles: true,
    run: ({ store, without, token }, { api }) => {
      requireOneOf(access, { without, token })
      const scopes = without?.split(',').flatMap((scope) => (scope.trim() === 'none' ? [] : scope.trim() || []))
      return api().post(storePath(store, '/sandbox/access'), { without: scopes, token })
    },
    show: facts
  })
}
