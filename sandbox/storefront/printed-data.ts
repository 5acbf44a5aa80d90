import type { Queries } from '#kit/postgres'
import { kindOf, listOffers } from '../checkout/offers.ts'
import type { Shop } from '../shop.ts'
import { listCollections } from '../state/collections.ts'
import type { Customer } from '../state/customers.ts'
import { listMetafields, type Metafield } from '../state/metafields.ts'
import { findVariants } from '../state/products.ts'
import { cartJson, hundredths, type PricedCart } from './cart-json.ts'
import { type Html, html } from './html.ts'
import { LANGUAGE } from './layout.ts'

const OF_SHOP = [
  'svc_plan_settings',
  'svc_plan_settings2',
  'svc_widget_cart_page',
  'svc_widget_cart_page_member',
  'svc_cart_page_selector',
  'svc_side_cart_selector',
  'svc_agreement'
]
const OF_CUSTOMER = ['customer_subscription1', 'customer_subscription2', 'svc_st']

/**
 * What the theme prints for the app's elements (docs/storefront.md): what a theme of the real platform prints by liquid. `refresh` is more of
 * the page that shows the cart.
 */
export async function printedData(
  db: { direct: Queries },
  shop: Shop,
  basePath: string,
  customer: Customer | null,
  priced: PricedCart,
  refresh: string
): Promise<Html> {
  const owners = [`Shop/${shop.id}`, ...(customer ? [`Customer/${customer.id}`] : [])]
  const metafields = await listMetafields(db.direct, shop.storeId, owners)
  const of = (ownerType: string, keys: string[]) =>
    valuesOf(
      metafields.filter((one) => one.ownerType === ownerType),
      keys
    )
  const data = {
    root: `${basePath}/`,
    locale: LANGUAGE,
    country: priced.cart.details.country ?? customer?.country ?? null,
    currency: shop.currency,
    cart: cartJson(shop, priced),
    variants: await variantFacts(db.direct, shop, priced),
    customer: customer && { tags: customer.tags, ...of('Customer', OF_CUSTOMER) },
    metafields: of('Shop', OF_SHOP),
    refresh
  }
  // A text in it must not end the script.
  const markup = JSON.stringify(data).replaceAll('<', '\\u003c')
  return html`<script type="application/json" data-perennial-cart>${{ markup }}</script>`
}

/** What the cart API does not say of the variants in the cart. */
async function variantFacts(q: Queries, shop: Shop, { preview, products }: PricedCart) {
  const goods = preview?.goods ?? []
  const variants = await findVariants(
    q,
    shop.storeId,
    goods.flatMap(({ variantId }) => variantId ?? [])
  )
  const collections = await listCollections(q, shop.storeId)
  const offers = (await listOffers(q, shop.storeId)).filter(({ product }) => kindOf(product) === 'subscription')
  return Object.fromEntries(
    variants.map(({ id, productId, compareAtMinor }) => [
      id,
      {
        tags: products.find((product) => product.id === productId)?.tags ?? [],
        collections: collections.filter((one) => one.productIds.includes(productId)).map((one) => Number(one.id)),
        compare_at: compareAtMinor === null ? null : hundredths(compareAtMinor, shop.currency),
        plans: offers
          .filter(({ variant }) => variant.id === id)
          .map(({ plan }) => ({ id: Number(plan.id), name: plan.name }))
      }
    ])
  )
}

/** The values of metafields, as `.value` has them in a theme; null for those that are not there. */
function valuesOf(metafields: Metafield[], keys: string[]): Record<string, unknown> {
  return Object.fromEntries(
    keys.map((name) => {
      const found = metafields.find(({ namespace, key }) => namespace === 'svc' && key === name)
      return [name, found ? parsed(found) : null]
    })
  )
}

function parsed({ value }: Metafield): unknown {
  try {
    return JSON.parse(value)
  } catch (err) {
    // What somebody wrote by hand is printed as it is.
    if (err instanceof SyntaxError) return value
    throw err
  }
}
