import { createHash } from 'node:crypto'
import { currencyDecimals, sumOf } from '#kit/money'
import type { Offer } from '../checkout/offers.ts'
import { planPricing } from '../contracts/lines.ts'
import type { OrderPreview } from '../controls/place-order.ts'
import type { Shop } from '../shop.ts'
import type { Product } from '../state/products.ts'
import type { BrowserCart } from './cart.ts'

/** A cart with its prices; without a preview it is empty. */
export type PricedCart = { cart: BrowserCart; preview: OrderPreview | null; products: Product[] }

/** Amounts of the cart API are in hundredths of every currency, also of one without decimals. */
export const hundredths = (minor: number, currency: string): number =>
  Math.round(minor * 10 ** (2 - currencyDecimals(currency)))

/** What the cart API returns of a cart, in the real platform's form. */
export function cartJson(shop: Shop, priced: PricedCart) {
  const { cart, preview } = priced
  const items = itemsJson(shop, priced)
  return {
    token: cart.token,
    note: cart.details.note ?? null,
    attributes: cart.attributes,
    original_total_price: sumOf(items.map((item) => item.original_line_price)),
    total_price: sumOf(items.map((item) => item.final_line_price)),
    total_discount: sumOf(items.map((item) => item.total_discount)),
    total_weight: 0,
    item_count: sumOf(items.map(({ quantity }) => quantity)),
    items,
    requires_shipping: preview?.goods.some(({ requiresShipping }) => requiresShipping) ?? false,
    currency: shop.currency,
    items_subtotal_price: sumOf(items.map((item) => item.final_line_price)),
    // What the platform takes from products is on their lines.
    cart_level_discount_applications: []
  }
}

export type ItemJson = ReturnType<typeof itemsJson>[number]

/** The lines of a cart in their order. */
export function itemsJson(shop: Shop, { cart, preview, products }: PricedCart) {
  if (!preview) return []
  return preview.goods.map((goods, i) => {
    const product = products.find(({ id }) => id === goods.productId)!
    const total = preview.totals.lines[i]!
    const offer = preview.cart.offers[i]
    const [price, linePrice, off] = [goods.priceMinor, goods.priceMinor * goods.quantity, total.discountMinor].map(
      (minor) => hundredths(minor, shop.currency)
    ) as [number, number, number]
    const taken = (total.allocations ?? []).map(({ index, amountMinor }) => ({
      discount: preview.totals.discounts[index]!,
      amount: hundredths(amountMinor, shop.currency)
    }))
    const final = Math.round((linePrice - off) / goods.quantity)
    const variantId = Number(goods.variantId)
    const plan = offer?.plan.id ?? ''
    return {
      id: variantId,
      properties: {},
      quantity: goods.quantity,
      variant_id: variantId,
      // As on the real platform it is another one when something of the line is another.
      key: `${variantId}:${createHash('md5')
        .update(JSON.stringify([cart.token, variantId, plan, taken]))
        .digest('hex')}`,
      title: [goods.title, goods.variantTitle].filter(Boolean).join(' - '),
      price,
      original_price: price,
      discounted_price: final,
      line_price: linePrice - off,
      original_line_price: linePrice,
      total_discount: off,
      discounts: taken.map(({ discount, amount }) => ({ amount, title: discount.title })),
      sku: goods.sku ?? '',
      grams: 0,
      vendor: goods.vendor ?? '',
      taxable: goods.taxable,
      product_id: Number(product.id),
      product_has_only_default_variant: goods.variantTitle === null,
      gift_card: false,
      final_price: final,
      final_line_price: linePrice - off,
      url: `/products/${product.handle}?${plan && `selling_plan=${plan}&`}variant=${variantId}`,
      featured_image: { alt: null, aspect_ratio: null, height: null, url: null, width: null },
      image: null,
      handle: product.handle,
      requires_shipping: goods.requiresShipping,
      product_type: product.productType ?? '',
      product_title: goods.title,
      product_description: product.more.descriptionHtml ?? '',
      variant_title: goods.variantTitle,
      variant_options: [goods.variantTitle ?? 'Default Title'],
      options_with_values: [{ name: 'Title', value: goods.variantTitle ?? 'Default Title' }],
      line_level_discount_allocations: taken.map(({ discount, amount }) => ({
        amount,
        discount_application: {
          type: discount.isAutomatic ? 'automatic' : 'discount_code',
          title: discount.title,
          description: null,
          value_type: discount.percentage === null ? 'fixed_amount' : 'percentage',
          allocation_method: 'across',
          target_selection: 'entitled',
          target_type: 'line_item',
          total_allocated_amount: hundredths(discount.amountMinor, shop.currency)
        }
      })),
      line_level_total_discount: off,
      ...(offer && { selling_plan_allocation: allocationJson(shop, offer) })
    }
  })
}

function allocationJson({ currency }: Shop, { plan, variant }: Offer) {
  const { priceMinor } = planPricing(plan, variant.priceMinor)
  const price = hundredths(priceMinor, currency)
  return {
    price_adjustments: [{ position: 1, price }],
    price,
    compare_at_price: priceMinor < variant.priceMinor ? hundredths(variant.priceMinor, currency) : null,
    per_delivery_price: price,
    selling_plan: {
      id: Number(plan.id),
      name: plan.name,
      description: plan.description,
      options: plan.options.map((value, i) => ({ name: 'Billed', position: i + 1, value })),
      recurring_deliveries: true,
      price_adjustments: []
    }
  }
}
