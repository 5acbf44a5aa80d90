import { recordCatalogChanges } from '#plans'
import { claimRecording, type InboundMessage, parseCatalogPayload } from '#platform'
import type { SyncDeps } from '../deps.ts'

const CHANGES = { create: 'created', update: 'updated', delete: 'deleted' } as const

/** Which products and collections were made, changed or deleted. */
export async function applyCatalogMessages(
  { db }: SyncDeps,
  storeId: number,
  messages: InboundMessage[]
): Promise<void> {
  const changes = messages.map(({ id, topic, payload }) => {
    const [things, verb] = topic.split('/') as ['products' | 'collections', keyof typeof CHANGES]
    return {
      messageId: id,
      kind: things === 'products' ? ('product' as const) : ('collection' as const),
      platformId: parseCatalogPayload(payload).id,
      change: CHANGES[verb]
    }
  })
  await db.inStore(storeId, async (ctx) => {
    const claimed = await claimRecording(
      ctx,
      messages.map(({ id }) => id)
    )
    const fresh = changes.filter(({ messageId }) => claimed.has(messageId))
    await recordCatalogChanges(
      ctx,
      fresh.map(({ messageId: _, ...change }) => change)
    )
  })
}
