import type { TestShop } from '../start-sandbox.test-helper.ts'

/** The numbers of a shop's variants by their SKU. */
export async function variantIds(shop: TestShop): Promise<(sku: string) => string> {
  const { data } = await shop.graphql(
    '{ products(first: 50) { nodes { variants(first: 5) { nodes { sku legacyResourceId } } } } }'
  )
  const all = data.products.nodes.flatMap((product: any) => product.variants.nodes)
  return (sku) => all.find((one: any) => one.sku === sku).legacyResourceId
}

/** A plan as the app describes it to the storefront: 20 % off everything, unless `more` says otherwise. */
export async function describePlan(shop: TestShop, more: object = {}): Promise<void> {
  const { productId } = await shop.aPlan()
  const settings = {
    status: 1,
    type: 1,
    tier_name: 'VIP',
    product_gid: productId,
    dp: 1,
    dv: '20',
    dt: 'percentage',
    dat: 'all',
    ...more
  }
  await shop.mutate(
    `mutation($m: [MetafieldsSetInput!]!) { metafieldsSet(metafields: $m) { userErrors { message } } }`,
    {
      m: [
        {
          ownerId: (await shop.graphql('{ shop { id } }')).data.shop.id,
          namespace: 'svc',
          key: 'svc_plan_settings',
          type: 'json',
          value: JSON.stringify({ ...settings, dct: 2 })
        }
      ]
    }
  )
}
