import type { PlatformClient } from '../wire/client.ts'
import { type PlatformFailure, type PlatformResult, succeeded } from '../wire/outcome.ts'
import { type Page, readPage } from '../wire/pages.ts'
import {
  WebhookSubscriptionCreate,
  WebhookSubscriptionDelete,
  WebhookSubscriptions,
  WebhookSubscriptionUpdate
} from './documents.ts'

/** The topics whose subscription was created, corrected, or was right already, and how many superfluous ones were removed. */
export type WebhookSubscriptionsEnsured = {
  created: string[]
  updated: string[]
  unchanged: string[]
  removed: number
}

/** A subscription of our app as it is there. `problem`: what is not as it should be; null where nothing is. */
export type WebhookSubscriptionState = { topic: string; uri: string | null; problem: string | null }

export type WebhookSubscriptionsApi = {
  /**
   * Makes the platform send these topics to `uri` as JSON, without a filter and whole; of products and collections that are there only their ids. Topics are spelled as in the webhook header
   * (`orders/paid`). Creates missing subscriptions, corrects others, removes second ones of a topic, and leaves other topics as they are.
   * A topic that the platform refuses does not hold up the rest; its refusal is the result.
   */
  ensure(uri: string, topics: string[]): Promise<PlatformResult<WebhookSubscriptionsEnsured>>
  /** How the subscriptions of these topics are, one or more for each; changes nothing. */
  look(uri: string, topics: string[]): Promise<PlatformResult<WebhookSubscriptionState[]>>
  /** Makes the platform send these topics no longer. Returns how many subscriptions there were. */
  remove(topics: string[]): Promise<PlatformResult<number>>
}

export function createWebhookSubscriptionsApi(client: PlatformClient): WebhookSubscriptionsApi {
  return {
    ensure: (uri, topics) => ensureSubscriptions(client, uri, topics),
    look: (uri, topics) => lookAtSubscriptions(client, uri, topics),
    remove: (topics) => removeSubscriptions(client, topics)
  }
}

type Subscription = {
  gid: string
  topic: string
  uri: string
  format: string
  filter: string
  includeFields: string[]
}

/** Of a product, which a shop changes all day and which may have a megabyte, only which one it is. Other messages are sent whole. */
const fieldsOf = (topicEnum: string): string[] =>
  /^(PRODUCTS|COLLECTIONS)_(CREATE|UPDATE)$/.test(topicEnum) ? ['id', 'admin_graphql_api_id'] : []

/** Everything that a subscription must be. An empty filter and empty lists undo what an earlier one had. */
const wanted = (uri: string, topicEnum: string) => ({
  uri,
  format: 'JSON',
  filter: '',
  includeFields: fieldsOf(topicEnum),
  metafieldNamespaces: []
})

/** What is not as it should be, in words; null where nothing is. */
function problemOf(subscription: Subscription, uri: string): string | null {
  if (subscription.uri !== uri) return `is sent to ${subscription.uri}`
  if (subscription.format !== 'json') return `is sent as ${subscription.format}`
  if (subscription.filter !== '') return `has the filter ${subscription.filter}`
  const [has, needs] = [subscription.includeFields, fieldsOf(subscription.topic)]
  if (has.length === needs.length && needs.every((field) => has.includes(field))) return null
  return has.length > 0 ? `has only the fields ${has.join(', ')}` : `has more than the fields ${needs.join(', ')}`
}

/** Only the app's own subscriptions are visible here, so one with another address is an earlier one of ours. */
async function ensureSubscriptions(
  client: PlatformClient,
  uri: string,
  topics: string[]
): Promise<PlatformResult<WebhookSubscriptionsEnsured>> {
  const existing = await listSubscriptions(client, topics)
  if (!existing.ok) return existing
  const ensured: WebhookSubscriptionsEnsured = { created: [], updated: [], unchanged: [], removed: 0 }
  let refused: PlatformFailure | null = null
  for (const topic of topics) {
    const ofTopic = existing.value.filter((subscription) => subscription.topic === enumOf(topic))
    const best =
      ofTopic.find((one) => problemOf(one, uri) === null) ?? ofTopic.find((one) => one.uri === uri) ?? ofTopic[0]
    const input = wanted(uri, enumOf(topic))
    const state = !best ? 'created' : problemOf(best, uri) === null ? 'unchanged' : 'updated'
    if (state !== 'unchanged') {
      const done = best
        ? await client.maintain(WebhookSubscriptionUpdate, { id: best.gid, input }, () => null)
        : await client.maintain(WebhookSubscriptionCreate, { topic: enumOf(topic), input }, () => null)
      if (!done.ok) {
        // Another process of ours was faster. The platform gives this error no code.
        if (/already been taken/i.test(done.failure.message)) ensured.unchanged.push(topic)
        else if (done.failure.kind === 'rejected') refused ??= done.failure
        else return done
        continue
      }
    }
    ensured[state].push(topic)
    for (const other of ofTopic) {
      if (other === best) continue
      const done = await client.maintain(WebhookSubscriptionDelete, { id: other.gid }, () => null)
      if (done.ok) ensured.removed++
      else if (done.failure.kind !== 'rejected') return done
    }
  }
  return refused ? { ok: false, failure: refused } : succeeded(ensured)
}

async function lookAtSubscriptions(
  client: PlatformClient,
  uri: string,
  topics: string[]
): Promise<PlatformResult<WebhookSubscriptionState[]>> {
  const existing = await listSubscriptions(client, topics)
  if (!existing.ok) return existing
  return succeeded(
    topics.flatMap((topic): WebhookSubscriptionState[] => {
      const ofTopic = existing.value.filter((subscription) => subscription.topic === enumOf(topic))
      if (ofTopic.length === 0) return [{ topic, uri: null, problem: 'is missing' }]
      return ofTopic.map((one, i) => ({
        topic,
        uri: one.uri,
        problem: problemOf(one, uri) ?? (i > 0 ? 'is there twice' : null)
      }))
    })
  )
}

async function removeSubscriptions(client: PlatformClient, topics: string[]): Promise<PlatformResult<number>> {
  const existing = await listSubscriptions(client, topics)
  if (!existing.ok) return existing
  for (const { gid } of existing.value) {
    const done = await client.maintain(WebhookSubscriptionDelete, { id: gid }, () => null)
    if (!done.ok) return done
  }
  return succeeded(existing.value.length)
}

async function listSubscriptions(client: PlatformClient, topics: string[]): Promise<PlatformResult<Subscription[]>> {
  const subscriptions: Subscription[] = []
  let after: string | null = null
  do {
    const page: PlatformResult<Page<Subscription>> = await client.query(
      WebhookSubscriptions,
      { topics: topics.map(enumOf), after },
      (data) =>
        readPage(data.at('webhookSubscriptions'), (node) => ({
          gid: node.text('id'),
          topic: node.text('topic'),
          uri: node.text('uri'),
          format: node.lower('format'),
          filter: node.maybeText('filter') ?? '',
          includeFields: node.texts('includeFields')
        }))
    )
    if (!page.ok) return page
    subscriptions.push(...page.value.items)
    after = page.value.after
  } while (after)
  return succeeded(subscriptions)
}

/** A topic as the enum spells it: `orders/paid` is ORDERS_PAID, `customer.tags_added` is CUSTOMER_TAGS_ADDED. */
function enumOf(topic: string): string {
  return topic.replace(/[/.]/g, '_').toUpperCase()
}
