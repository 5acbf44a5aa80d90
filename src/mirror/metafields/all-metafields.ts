import type { Metafield, MetafieldOwner } from '#platform'
import { STOREFRONT_SETTINGS } from '#storefront-settings'
import * as metafieldList from './metafield-list.ts'

/** Every metafield of spec 3, and those of ours. */
export const METAFIELDS: readonly Metafield<unknown>[] = [
  ...(Object.values(metafieldList) as Metafield<unknown>[]),
  ...STOREFRONT_SETTINGS
]

/** The keys of one kind of owner. */
export const keysOf = (owner: MetafieldOwner): string[] =>
  METAFIELDS.filter((one) => one.owner === owner).map(({ key }) => key)
