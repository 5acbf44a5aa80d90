import type { PlatformClient } from './client.ts'
import type { WebhooksEnsured } from './connector.ts'
import { WebhookSubscriptionCreate, WebhookSubscriptions, WebhookSubscriptionUpdate } from './documents.ts'
import { type PlatformResult, succeeded } from './outcome.ts'

type Subscription = { gid: string; topic: string; uri: string }

/**
 * Has the platform send these topics to `uri`. Only the app's own subscriptions are visible here, so one that goes to
 * another address is ours from before, and is moved. Subscriptions of other topics stay as they are.
 */
export async function ensureWebhooks(
  client: PlatformClient,
  uri: string,
  topics: string[]
): Promise<PlatformResult<WebhooksEnsured>> {
  const existing = await listSubscriptions(client, topics.map(enumOf))
  if (!existing.ok) return existing
  const ensured: WebhooksEnsured = { created: [], updated: [], unchanged: [] }
  for (const topic of topics) {
    const ofTopic = existing.value.filter((subscription) => subscription.topic === enumOf(topic))
    if (ofTopic.some((subscription) => subscription.uri === uri)) {
      ensured.unchanged.push(topic)
      continue
    }
    const stale = ofTopic[0]
    const input = { uri, format: 'JSON' }
    const done = stale
      ? await client.mutate(WebhookSubscriptionUpdate, { id: stale.gid, input }, () => null)
      : await client.mutate(WebhookSubscriptionCreate, { topic: enumOf(topic), input }, () => null)
    if (done.ok) ensured[stale ? 'updated' : 'created'].push(topic)
    // Another process of ours was faster. The platform gives this error no code.
    else if (/already been taken/i.test(done.failure.message)) ensured.unchanged.push(topic)
    else return done
  }
  return succeeded(ensured)
}

async function listSubscriptions(client: PlatformClient, topics: string[]): Promise<PlatformResult<Subscription[]>> {
  const subscriptions: Subscription[] = []
  let after: string | null = null
  do {
    const page: PlatformResult<{ nodes: Subscription[]; after: string | null }> = await client.query(
      WebhookSubscriptions,
      { topics, after },
      (data) => {
        const connection = data.at('webhookSubscriptions')
        const pageInfo = connection.at('pageInfo')
        return {
          nodes: connection
            .list('nodes')
            .map((node) => ({ gid: node.text('id'), topic: node.text('topic'), uri: node.text('uri') })),
          after: pageInfo.flag('hasNextPage') ? pageInfo.text('endCursor') : null
        }
      }
    )
    if (!page.ok) return page
    subscriptions.push(...page.value.nodes)
    after = page.value.after
  } while (after)
  return succeeded(subscriptions)
}

/** `orders/paid` and `customer.tags_added` as the enum writes them: ORDERS_PAID, CUSTOMER_TAGS_ADDED. */
function enumOf(topic: string): string {
  return topic.replace(/[/.]/g, '_').toUpperCase()
}
