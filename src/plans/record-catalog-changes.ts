import { record } from '#kit/outbox'
import type { Ctx } from '#kit/postgres'
import { type CatalogChange, catalogItemChanged } from './events/catalog-item-changed.ts'

const WEIGHT = { updated: 0, created: 1, deleted: 2 } as const

/**
 * Records which products and collections have changed, each once: what was deleted stays so, in whatever order it is reported. Nothing of
 * them is kept here; whoever needs more reads it from the platform.
 */
export async function recordCatalogChanges(ctx: Ctx, changes: CatalogChange[]): Promise<void> {
  const ofItem = new Map<string, CatalogChange>()
  for (const change of changes) {
    const key = `${change.kind}:${change.platformId}`
    const other = ofItem.get(key)
    if (!other || WEIGHT[change.change] > WEIGHT[other.change]) ofItem.set(key, change)
  }
  await record(ctx, ...[...ofItem.values()].map(catalogItemChanged))
}
