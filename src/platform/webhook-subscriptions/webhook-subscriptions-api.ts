import type { PlatformClient } from '../wire/client.ts'
import { type PlatformResult, succeeded } from '../wire/outcome.ts'
import { type Page, readPage } from '../wire/pages.ts'
import {
  WebhookSubscriptionCreate,
  WebhookSubscriptionDelete,
  WebhookSubscriptions,
  WebhookSubscriptionUpdate
} from './documents.ts'

/** The topics whose subscription was created, got another address, or was right already. */
export type WebhookSubscriptionsEnsured = { created: string[]; updated: string[]; unchanged: string[] }

export type WebhookSubscriptionsApi = {
  /**
   * Makes the platform send these topics to `uri`. Topics are spelled as in the webhook header (`orders/paid`). Creates missing
   * subscriptions, corrects the address of existing ones, and leaves other topics as they are.
   */
  ensure(uri: string, topics: string[]): Promise<PlatformResult<WebhookSubscriptionsEnsured>>
  /** Makes the platform send these topics no longer. Returns how many subscriptions there were. */
  remove(topics: string[]): Promise<PlatformResult<number>>
}

export function createWebhookSubscriptionsApi(client: PlatformClient): WebhookSubscriptionsApi {
  return {
    ensure: (uri, topics) => ensureSubscriptions(client, uri, topics),
    remove: (topics) => removeSubscriptions(client, topics)
  }
}

type Subscription = { gid: string; topic: string; uri: string }

/** Only the app's own subscriptions are visible here, so one with another address is an earlier one of ours. */
async function ensureSubscriptions(
  client: PlatformClient,
  uri: string,
  topics: string[]
): Promise<PlatformResult<WebhookSubscriptionsEnsured>> {
  const existing = await listSubscriptions(client, topics.map(enumOf))
  if (!existing.ok) return existing
  const ensured: WebhookSubscriptionsEnsured = { created: [], updated: [], unchanged: [] }
  for (const topic of topics) {
    const ofTopic = existing.value.filter((subscription) => subscription.topic === enumOf(topic))
    if (ofTopic.some((subscription) => subscription.uri === uri)) {
      ensured.unchanged.push(topic)
      continue
    }
    const stale = ofTopic[0]
    const input = { uri, format: 'JSON' }
    const done = stale
      ? await client.maintain(WebhookSubscriptionUpdate, { id: stale.gid, input }, () => null)
      : await client.maintain(WebhookSubscriptionCreate, { topic: enumOf(topic), input }, () => null)
    if (done.ok) ensured[stale ? 'updated' : 'created'].push(topic)
    // Another process of ours was faster. The platform gives this error no code.
    else if (/already been taken/i.test(done.failure.message)) ensured.unchanged.push(topic)
    else return done
  }
  return succeeded(ensured)
}

async function removeSubscriptions(client: PlatformClient, topics: string[]): Promise<PlatformResult<number>> {
  const existing = await listSubscriptions(client, topics.map(enumOf))
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
      { topics, after },
      (data) =>
        readPage(data.at('webhookSubscriptions'), (node) => ({
          gid: node.text('id'),
          topic: node.text('topic'),
          uri: node.text('uri')
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
