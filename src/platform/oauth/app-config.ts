import { accessScopes, OPTIONAL_SCOPES, requestedScopes } from '../access-scopes.ts'
import { API_VERSION } from '../wire/platform-profiles.ts'
import { APP_PATHS } from './apps.ts'

/** Where the storefront reaches us through the platform: `/apps/svc-api` of each shop. */
export const APP_PROXY = { prefix: 'apps', subpath: 'svc-api' } as const

/** Topics that only the app's configuration can subscribe to, and that every app must. */
export const COMPLIANCE_TOPICS = ['customers/data_request', 'customers/redact', 'shop/redact'] as const

/**
 * The configuration of the app as the platform's command line reads it (`shopify.app.toml`). Topics of the shop are not in it: the
 * service subscribes to them in each shop and keeps them correct.
 */
export function appConfig({
  clientId,
  url,
  allOrders
}: {
  clientId: string
  url: string
  /** Whether the platform has approved the app for them: otherwise it refuses a configuration that asks for them. */
  allOrders: boolean
}): string {
  const scopes = allOrders ? [...requestedScopes, ...Object.keys(OPTIONAL_SCOPES)] : requestedScopes
  const text = (value: string) => JSON.stringify(value)
  return `# Made by perennial platform app-config. Save it as shopify.app.toml, then: shopify app deploy
client_id = ${text(clientId)}
name = "Perennial"
application_url = ${text(url + APP_PATHS.page)}
embedded = true

[access_scopes]
# perennial platform scopes explains each of them.
scopes = ${text(scopes.join(','))}

[auth]
redirect_urls = [ ${text(url + APP_PATHS.callback)} ]

[app_proxy]
url = ${text(`${url}/${APP_PROXY.prefix}/${APP_PROXY.subpath}`)}
prefix = ${text(APP_PROXY.prefix)}
subpath = ${text(APP_PROXY.subpath)}

[webhooks]
api_version = ${text(API_VERSION)}

  # Every app must have these, and they can be subscribed to nowhere else.
  [[webhooks.subscriptions]]
  compliance_topics = [ ${COMPLIANCE_TOPICS.map(text).join(', ')} ]
  uri = ${text(url + APP_PATHS.webhooks)}
`
}

/** What the platform must approve before a public app gets it; a custom app of one's own shop needs only the first. */
export function neededApprovals(): { approval: string; scopes: string[] }[] {
  const personal = accessScopes.filter(({ personalData }) => personalData).map(({ scope }) => scope)
  const reviewed = Map.groupBy(
    accessScopes.filter(({ approval }) => approval !== undefined),
    ({ approval }) => approval!
  )
  return [
    {
      approval:
        'protected customer data with name, e-mail address, phone and address: in the Partner Dashboard under API access',
      scopes: personal
    },
    ...[...reviewed].map(([approval, scopes]) => ({ approval, scopes: scopes.map(({ scope }) => scope) }))
  ]
}
