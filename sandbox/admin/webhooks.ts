import { topicEnum, topicOf } from '../outgoing/topics.ts'
import {
  deleteWebhookSubscription,
  findWebhookSubscriptions,
  insertWebhookSubscription,
  listWebhookSubscriptions,
  updateWebhookSubscription,
  type WebhookSubscription,
  type WebhookSubscriptionFields
} from '../state/webhook-subscriptions.ts'
import { isGranted, scopeOfTopic } from '../wire/access.ts'
import type { Api, Resolvers } from '../wire/api.ts'
import { type PageArgs, pageOf } from '../wire/connections.ts'
import { numberIn } from '../wire/gid.ts'
import { API_VERSION } from './shop.ts'
import { type UserError, userError } from './user-errors.ts'

type SubscriptionInput = {
  uri?: string | null
  callbackUrl?: string | null
  format?: 'JSON' | 'XML' | null
  name?: string | null
  filter?: string | null
  includeFields?: string[] | null
  metafieldNamespaces?: string[] | null
}

// The platform reports the field's former name, whichever name the client sent.
const FIELD = ['webhookSubscription', 'callbackUrl']

/** Addresses must be https. This machine's own are accepted over http too, since test receivers run here. */
function problemOf(input: SubscriptionInput, uri: string | undefined): UserError | null {
  if (!uri) return userError(FIELD, "Address can't be blank")
  if (input.format === 'XML') return userError(['webhookSubscription', 'format'], 'Format is not supported')
  let url: URL
  try {
    url = new URL(uri)
  } catch {
    return userError(FIELD, 'Address is invalid')
  }
  const loopback = ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname)
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && loopback)) {
    return userError(FIELD, `Address protocol ${url.protocol}// is not supported`)
  }
  return null
}

async function create(_root: unknown, args: { topic: string; webhookSubscription: SubscriptionInput }, api: Api) {
  const input = args.webhookSubscription
  const uri = input.uri ?? input.callbackUrl ?? undefined
  const scope = scopeOfTopic(args.topic)
  const problem =
    scope !== null && !isGranted(api.shop, scope)
      ? userError(
          ['topic'],
          `You do not have permission to create or update webhooks with ${topicOf(args.topic)} topic.`
        )
      : problemOf(input, uri)
  if (problem) return { webhookSubscription: null, userErrors: [problem] }
  const created = await api.write((q, now) =>
    insertWebhookSubscription(
      q,
      api.shop.storeId,
      {
        topic: topicOf(args.topic),
        uri: uri!,
        name: input.name ?? null,
        filter: input.filter ?? null,
        includeFields: input.includeFields ?? [],
        metafieldNamespaces: input.metafieldNamespaces ?? []
      },
      now
    )
  )
  if (created) return { webhookSubscription: created, userErrors: [] }
  return { webhookSubscription: null, userErrors: [userError(FIELD, 'Address for this topic has already been taken')] }
}

async function update(_root: unknown, args: { id: string; webhookSubscription: SubscriptionInput }, api: Api) {
  const id = numberIn(api.shop, 'WebhookSubscription', args.id)
  const input = args.webhookSubscription
  const refused = (problem: UserError) => ({ webhookSubscription: null, userErrors: [problem] })
  const [old] = await findWebhookSubscriptions(api.db.direct, api.shop.storeId, [id])
  if (!old) return refused(userError(['id'], 'Webhook subscription does not exist'))
  const to: WebhookSubscriptionFields = {
    topic: old.topic,
    uri: input.uri ?? input.callbackUrl ?? old.uri,
    name: input.name ?? old.name,
    filter: input.filter ?? old.filter,
    includeFields: input.includeFields ?? old.includeFields,
    metafieldNamespaces: input.metafieldNamespaces ?? old.metafieldNamespaces
  }
  const problem = problemOf(input, to.uri)
  if (problem) return refused(problem)
  const changed = await api.write((q, now) => updateWebhookSubscription(q, api.shop.storeId, id, to, now))
  if (!changed) return refused(userError(FIELD, 'Address for this topic has already been taken'))
  const [webhookSubscription] = await findWebhookSubscriptions(api.db.direct, api.shop.storeId, [id])
  return { webhookSubscription, userErrors: [] }
}

async function remove(_root: unknown, { id }: { id: string }, api: Api) {
  const number = numberIn(api.shop, 'WebhookSubscription', id)
  const gone = await api.write((q) => deleteWebhookSubscription(q, api.shop.storeId, number))
  return gone
    ? { deletedWebhookSubscriptionId: id, userErrors: [] }
    : { deletedWebhookSubscriptionId: null, userErrors: [userError(['id'], 'Webhook subscription does not exist')] }
}

async function list(
  _root: unknown,
  args: PageArgs & { topics?: string[] | null; callbackUrl?: string | null; uri?: string | null },
  api: Api
) {
  const topics = args.topics?.map(topicOf)
  const uri = args.uri ?? args.callbackUrl
  const all = await listWebhookSubscriptions(api.db.direct, api.shop.storeId)
  return pageOf(
    all.filter((one) => (!topics || topics.includes(one.topic)) && (!uri || one.uri === uri)),
    args
  )
}

export const webhookResolvers: Resolvers = {
  QueryRoot: {
    webhookSubscription: async (_root: unknown, { id }: { id: string }, api: Api) => {
      const number = numberIn(api.shop, 'WebhookSubscription', id)
      return (await findWebhookSubscriptions(api.db.direct, api.shop.storeId, [number]))[0] ?? null
    },
    webhookSubscriptions: list
  },
  Mutation: {
    webhookSubscriptionCreate: create,
    webhookSubscriptionUpdate: update,
    webhookSubscriptionDelete: remove
  },
  WebhookSubscription: {
    topic: ({ topic }: WebhookSubscription) => topicEnum(topic),
    format: () => 'JSON',
    apiVersion: () => ({ handle: API_VERSION, displayName: API_VERSION, supported: true })
  }
}
