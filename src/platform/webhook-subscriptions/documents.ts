import { document } from '../wire/document.ts'

export const WebhookSubscriptions =
  document(`query WebhookSubscriptions($topics: [WebhookSubscriptionTopic!], $after: String) {
  webhookSubscriptions(first: 100, after: $after, topics: $topics) {
    nodes { id topic uri format filter includeFields }
    pageInfo { hasNextPage endCursor }
  }
}`)

export const WebhookSubscriptionCreate =
  document(`mutation WebhookSubscriptionCreate($topic: WebhookSubscriptionTopic!, $input: WebhookSubscriptionInput!) {
  webhookSubscriptionCreate(topic: $topic, webhookSubscription: $input) {
    webhookSubscription { id }
    userErrors { field message }
  }
}`)

export const WebhookSubscriptionDelete = document(`mutation WebhookSubscriptionDelete($id: ID!) {
  webhookSubscriptionDelete(id: $id) {
    deletedWebhookSubscriptionId
    userErrors { field message }
  }
}`)

export const WebhookSubscriptionUpdate =
  document(`mutation WebhookSubscriptionUpdate($id: ID!, $input: WebhookSubscriptionInput!) {
  webhookSubscriptionUpdate(id: $id, webhookSubscription: $input) {
    webhookSubscription { id }
    userErrors { field message }
  }
}`)
