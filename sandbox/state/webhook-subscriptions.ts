import { instant, json, nullable, type Queries, type RowOf, row, sql, text, textList } from '#kit/postgres'

const SubscriptionRow = row({
  id: text,
  topic: text,
  uri: text,
  name: nullable(text),
  filter: nullable(text),
  includeFields: textList,
  metafieldNamespaces: textList,
  metafields: json<{ namespace: string; key: string }[]>(),
  createdAt: instant,
  updatedAt: instant
})
export type WebhookSubscription = RowOf<typeof SubscriptionRow> & { __typename: 'WebhookSubscription' }

const asSubscription = (found: RowOf<typeof SubscriptionRow>): WebhookSubscription => ({
  __typename: 'WebhookSubscription',
  ...found
})

export async function findWebhookSubscriptions(
  q: Queries,
  storeId: number,
  ids: string[]
): Promise<WebhookSubscription[]> {
  const rows = await q.many(
    SubscriptionRow,
    sql`
    select id::text as id, topic, uri, name, filter, include_fields, metafield_namespaces, metafields, created_at, updated_at
      from sandbox.webhook_subscriptions where store_id = ${storeId} and id = any(${ids}::bigint[])`
  )
  return rows.map(asSubscription)
}

export type WebhookSubscriptionFields = Pick<
  WebhookSubscription,
  'topic' | 'uri' | 'name' | 'filter' | 'includeFields' | 'metafieldNamespaces' | 'metafields'
>

/** Null if a subscription with that topic and address exists. */
export async function insertWebhookSubscription(
  q: Queries,
  storeId: number,
  fields: WebhookSubscriptionFields,
  now: Temporal.Instant
): Promise<WebhookSubscription | null> {
  const found = await q.maybeOne(
    SubscriptionRow,
    sql`
    insert into sandbox.webhook_subscriptions (store_id, topic, uri, name, filter, include_fields, metafield_namespaces,
                                               metafields, created_at, updated_at)
    values (${storeId}, ${fields.topic}, ${fields.uri}, ${fields.name}, ${fields.filter}, ${fields.includeFields},
            ${fields.metafieldNamespaces}, ${JSON.stringify(fields.metafields)}, ${now}, ${now})
    on conflict (store_id, topic, uri) do nothing
    returning id::text as id, topic, uri, name, filter, include_fields, metafield_namespaces, metafields, created_at, updated_at`
  )
  return found && asSubscription(found)
}

/** False if another subscription has that topic and address. */
export async function updateWebhookSubscription(
  q: Queries,
  storeId: number,
  id: string,
  to: WebhookSubscriptionFields,
  now: Temporal.Instant
): Promise<boolean> {
  const changed = await q.run(sql`
    update sandbox.webhook_subscriptions
       set uri = ${to.uri}, name = ${to.name}, filter = ${to.filter}, include_fields = ${to.includeFields},
           metafield_namespaces = ${to.metafieldNamespaces}, metafields = ${JSON.stringify(to.metafields)}, updated_at = ${now}
     where store_id = ${storeId} and id = ${id}
       and not exists (select from sandbox.webhook_subscriptions other
                        where other.store_id = ${storeId} and other.topic = ${to.topic} and other.uri = ${to.uri}
                          and other.id <> ${id})`)
  return changed > 0
}

export async function deleteWebhookSubscription(q: Queries, storeId: number, id: string): Promise<boolean> {
  return (await q.run(sql`delete from sandbox.webhook_subscriptions where store_id = ${storeId} and id = ${id}`)) > 0
}
