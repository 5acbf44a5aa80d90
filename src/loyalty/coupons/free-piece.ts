import { type Connector, type PlatformResult, succeeded } from '#platform'

/** What is taken off for a free piece of a product, once. */
export type FreePiece = { amountMinor: number; title: string }

/**
 * What makes one piece of a product free, and never more: the price of its cheapest variant, taken off once. A percentage would be taken off each
 * piece, and the price of a dearer variant would pay several cheap ones. The platform's "buy X, get Y" needs a purchase. Or why nothing can be taken off.
 */
export async function findFreePiece(
  { products }: Connector,
  productId: string,
  currency: string
): Promise<PlatformResult<FreePiece | { problem: string }>> {
  const found = await products.findLowestPrices([productId], currency)
  if (!found.ok) return found
  const product = found.value.get(productId)
  if (!product) return succeeded({ problem: `The shop sells no product ${productId}` })
  const { lowestMinor, title } = product
  if (lowestMinor > 0) return succeeded({ amountMinor: lowestMinor, title })
  return succeeded({ problem: `Product ${productId} of the shop has a variant that costs nothing` })
}
