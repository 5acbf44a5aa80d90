import { type Connector, encodeMetafield, type PlatformResult, succeeded } from '#platform'
import { general } from './shop/general.ts'

/** Says in the shop's metafields that nobody maintains the store any more (decisions: `general` is 1 while the service does). */
export async function releaseShop({ metafields }: Connector): Promise<PlatformResult<null>> {
  const found = await metafields.findOfShop([general.key])
  if (!found.ok) return found
  const { shopId: ownerId, metafields: known } = found.value
  const entry = known.get(general.key)
  const value = encodeMetafield(general, false)
  if (!entry || entry.value === value) return succeeded(null)
  const { owner, key, type } = general
  const written = await metafields.set([{ owner, ownerId, key, type, value, seenDigest: entry.digest }])
  return written.ok ? succeeded(null) : written
}
