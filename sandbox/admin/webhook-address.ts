import { type UserError, userError } from './user-errors.ts'

/** Where messages go, by the form of the address. */
export type Endpoint =
  | { __typename: 'WebhookHttpEndpoint'; callbackUrl: string }
  | { __typename: 'WebhookPubSubEndpoint'; pubSubProject: string; pubSubTopic: string }
  | { __typename: 'WebhookEventBridgeEndpoint'; arn: string }

export function endpointOf(uri: string): Endpoint {
  const [, pubSubProject, pubSubTopic] = /^pubsub:\/\/([^:]*):(.*)$/.exec(uri) ?? []
  if (pubSubProject !== undefined)
    return { __typename: 'WebhookPubSubEndpoint', pubSubProject, pubSubTopic: pubSubTopic! }
  if (uri.startsWith('arn:')) return { __typename: 'WebhookEventBridgeEndpoint', arn: uri }
  return { __typename: 'WebhookHttpEndpoint', callbackUrl: uri }
}

// The platform reports the field's former name, whichever name the client sent.
export const ADDRESS_FIELD = ['webhookSubscription', 'callbackUrl']
const LOOPBACK = ['localhost', '127.0.0.1', '[::1]']

/** A topic of Google Cloud begins with a letter; percent signs are allowed. */
export const isPubSubTopic = (topic: string): boolean => /^[A-Za-z][\w.~+%-]{2,254}$/.test(topic)
const isPubSubProject = (project: string): boolean => /^(\d{6,}|[a-z][a-z0-9-]{4,28}[a-z0-9])$/.test(project)

/** Addresses must be https and public. This machine's own are accepted over http, since test receivers run here. */
export function addressProblems(uri: string): UserError[] {
  const refused = (...messages: string[]) => messages.map((message) => userError(ADDRESS_FIELD, message))
  if (uri === '') return refused("Address can't be blank")
  const endpoint = endpointOf(uri)
  if (endpoint.__typename === 'WebhookEventBridgeEndpoint') {
    return /^arn:aws:events:[a-z0-9-]+::event-source\/aws\.partner\/\S+$/.test(uri)
      ? []
      : refused('Address is not a valid AWS ARN')
  }
  if (endpoint.__typename === 'WebhookPubSubEndpoint') {
    const wrong = [
      isPubSubProject(endpoint.pubSubProject) ? null : 'Address is not a valid GCP project id.',
      isPubSubTopic(endpoint.pubSubTopic) ? null : 'Address is not a valid GCP topic id.'
    ].filter((message) => message !== null)
    return wrong.length > 0 ? refused('Address is invalid', ...wrong) : []
  }
  const url = URL.parse(uri)
  if (!url) return refused('Address is invalid')
  const { hostname, protocol } = url
  if (protocol === 'http:' && LOOPBACK.includes(hostname)) return []
  if (protocol !== 'https:') return refused(`Address protocol ${protocol}// is not supported`)
  if (LOOPBACK.includes(hostname) || /(^|\.)(myshopify|shopify)\.com$/.test(hostname)) {
    return refused('Address cannot be a Shopify or an internal domain')
  }
  return []
}
