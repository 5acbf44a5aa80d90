import { topicEnum, topicOf } from '../outgoing/topics.ts'
import {
  deleteWebhookSubscription,
  findWebhookSubscriptions,
  insertWebhookSubscription,
  updateWebhookSubscription,
  type WebhookSubscription,
  type WebhookSubscriptionFields
} from '../state/webhook-subscriptions.ts'
import { isGranted, scopeOfTopic } from '../wire/access.ts'
import type { Api, Resolvers } from '../wire/api.ts'
import type { PageArgs } from '../wire/connections.ts'
import { numberIn } from '../wire/gid.ts'
import { listing } from '../wire/pages.ts'
import { API_VERSION, ownNamespace } from './shop.ts'
import { type UserError, userError } from './user-errors.ts'
import { ADDRESS_FIELD, addressProblems, endpointOf, isPubSubTopic } from './webhook-address.ts'

const pageOfSubscriptions = listing({
  table: 'sandbox.webhook_subscriptions',
  sorts: { CREATED_AT: 'created_at', UPDATED_AT: 'updated_at' },
  where: `($6::jsonb->>'topics' is null or topic = any(string_to_array($6::jsonb->>'topics', ' ')))
               and ($6::jsonb->>'uri' is null or uri = $6::jsonb->>'uri')`
})

type SubscriptionInput = {
  uri?: string | null
  callbackUrl?: string | null
  format?: 'JSON' | 'XML' | null
  name?: string | null
  filter?: string | null
  includeFields?: string[] | null
  metafieldNamespaces?: string[] | null
  metafields?: { namespace?: string | null; key: string }[] | null
}

/** A filter compares fields: a word without a field is refused, wherever it stands. */
function isFilter(filter: string): boolean {
  const words = filter.replaceAll(/[()]/g, ' ').match(/(?:[^\s"']+|"[^"]*"|'[^']*')+/g) ?? []
  return words.every((word) => /^(AND|OR|NOT)$/i.test(word) || /^-?[\w.]+:./.test(word))
}

function problemsOf(input: SubscriptionInput, uri: string): UserError[] {
  if (input.format === 'XML') return [userError(['webhookSubscription', 'format'], 'Format is not supported')]
  if (input.filter && !isFilter(input.filter)) {
    const invalid = 'The specified filter is invalid, please ensure you specify the field(s) you wish to filter on.'
    return [userError(['webhookSubscription'], invalid)]
  }
  return addressProblems(uri)
}

const refused = (...userErrors: UserError[]) => ({ webhookSubscription: null, userErrors })
const taken = () => refused(userError(ADDRESS_FIELD, 'Address for this topic has already been taken'))

async function create(_root: unknown, args: { topic: string; webhookSubscription: SubscriptionInput }, api: Api) {
  const input = args.webhookSubscription
  const uri = (input.uri ?? input.callbackUrl ?? '').trim()
  const scope = scopeOfTopic(args.topic)
  if (scope !== null && !isGranted(api.shop, scope)) {
    const topic = topicOf(args.topic)
    return refused(userError(['topic'], `You do not have permission to create or update webhooks with ${topic} topic.`))
  }
  const problems = problemsOf(input, uri)
  if (problems.length > 0) return refused(...problems)
  const fields = {
    topic: topicOf(args.topic),
    uri,
    name: input.name ?? null,
    filter: input.filter ?? null,
    includeFields: input.includeFields ?? [],
    metafieldNamespaces: (input.metafieldNamespaces ?? []).map(ownNamespace),
    metafields: metafieldsFrom(input.metafields ?? [])
  }
  const created = await api.write((q, now) => insertWebhookSubscription(q, api.shop.storeId, fields, now))
  return created ? { webhookSubscription: created, userErrors: [] } : taken()
}

const metafieldsFrom = (given: NonNullable<SubscriptionInput['metafields']>) =>
  given.map(({ namespace, key }) => ({ namespace: ownNamespace(namespace ?? '$app'), key }))

async function update(_root: unknown, args: { id: string; webhookSubscription: SubscriptionInput }, api: Api) {
  const id = numberIn(api.shop, 'WebhookSubscription', args.id)
  const input = args.webhookSubscription
  const [old] = await findWebhookSubscriptions(api.db.direct, api.shop.storeId, [id])
  if (!old) return refused(userError(['id'], 'Webhook subscription does not exist'))
  const to: WebhookSubscriptionFields = {
    topic: old.topic,
    uri: (input.uri ?? input.callbackUrl ?? old.uri).trim(),
    name: input.name ?? old.name,
    filter: input.filter ?? old.filter,
    includeFields: input.includeFields ?? old.includeFields,
    metafieldNamespaces: input.metafieldNamespaces?.map(ownNamespace) ?? old.metafieldNamespaces,
    metafields: input.metafields ? metafieldsFrom(input.metafields) : old.metafields
  }
  const problems = problemsOf(input, to.uri)
  if (problems.length > 0) return refused(...problems)
  const changed = await api.write((q, now) => updateWebhookSubscription(q, api.shop.storeId, id, to, now))
  if (!changed) return taken()
  const [webhookSubscription] = await findWebhookSubscriptions(api.db.direct, api.shop.storeId, [id])
  return { webhookSubscription, userErrors: [] }
}

type PubSubInput = Omit<SubscriptionInput, 'uri' | 'callbackUrl'> & { pubSubProject: string; pubSubTopic: string }
type ArnInput = Omit<SubscriptionInput, 'uri' | 'callbackUrl'> & { arn: string }

/** The older mutations for one kind of address, which name its parts. */
function withAddress<I, A extends { webhookSubscription: I }>(
  write: (root: unknown, args: never, api: Api) => unknown,
  uriOf: (input: I) => string | UserError
) {
  return (root: unknown, args: A, api: Api) => {
    const uri = uriOf(args.webhookSubscription)
    if (typeof uri !== 'string') return refused(uri)
    return write(root, { ...args, webhookSubscription: { ...args.webhookSubscription, uri } } as never, api)
  }
}

function pubSubUri({ pubSubProject, pubSubTopic }: PubSubInput): string | UserError {
  if (isPubSubTopic(pubSubTopic)) return `pubsub://${pubSubProject}:${pubSubTopic}`
  return userError(['webhookSubscription', 'pubSubTopic'], 'Google Cloud Pub/Sub topic ID is not valid')
}

async function remove(_root: unknown, { id }: { id: string }, api: Api) {
  const number = numberIn(api.shop, 'WebhookSubscription', id)
  const gone = await api.write((q) => deleteWebhookSubscription(q, api.shop.storeId, number))
  return gone
    ? { deletedWebhookSubscriptionId: id, userErrors: [] }
    : { deletedWebhookSubscriptionId: null, userErrors: [userError(['id'], 'Webhook subscription does not exist')] }
}

type ListArgs = PageArgs & {
  sortKey?: string
  query?: string
  topics?: string[] | null
  callbackUrl?: string | null
  uri?: string | null
}

function list(_root: unknown, args: ListArgs, api: Api) {
  const uri = args.uri ?? args.callbackUrl
  return pageOfSubscriptions(
    api.db.direct,
    api.shop.storeId,
    args,
    async (ids) => {
      const found = await findWebhookSubscriptions(api.db.direct, api.shop.storeId, ids)
      return ids.flatMap((id) => found.filter((one) => one.id === id))
    },
    { ...(args.topics && { topics: args.topics.map(topicOf).join(' ') }), ...(uri && { uri }) }
  )
}

export const webhookResolvers: Resolvers = {
  QueryRoot: {
    webhookSubscription: async (_root: unknown, { id }: { id: string }, api: Api) => {
      const number = numberIn(api.shop, 'WebhookSubscription', id)
      return (await findWebhookSubscriptions(api.db.direct, api.shop.storeId, [number]))[0] ?? null
    },
    webhookSubscriptions: list,
    webhookSubscriptionsCount: async (_root: unknown, args: { query?: string }, api: Api) => {
      const { nodes } = await list(_root, { ...args, first: 250 }, api)
      return { count: nodes.length, precision: 'EXACT' }
    }
  },
  Mutation: {
    webhookSubscriptionCreate: create,
    webhookSubscriptionUpdate: update,
    webhookSubscriptionDelete: remove,
    pubSubWebhookSubscriptionCreate: withAddress(create, pubSubUri),
    pubSubWebhookSubscriptionUpdate: withAddress(update, pubSubUri),
    eventBridgeWebhookSubscriptionCreate: withAddress(create, ({ arn }: ArnInput) => arn),
    eventBridgeWebhookSubscriptionUpdate: withAddress(update, ({ arn }: ArnInput) => arn)
  },
  WebhookSubscription: {
    topic: ({ topic }: WebhookSubscription) => topicEnum(topic),
    format: () => 'JSON',
    callbackUrl: ({ uri }: WebhookSubscription) => uri,
    endpoint: ({ uri }: WebhookSubscription) => endpointOf(uri),
    apiVersion: () => ({ handle: API_VERSION, displayName: API_VERSION, supported: true })
  }
}
