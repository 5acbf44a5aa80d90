import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testDatabase } from '../../test/database.ts'
import { type Answered, startSandbox } from '../start-sandbox.test-helper.ts'

const { db } = await testDatabase()
const { aShop, bugs } = await startSandbox(db)

const PRODUCTS = `{ products(first: 50) { nodes { id title vendor productType tags collections(first: 5) { nodes { handle } }
  variants(first: 5) { nodes { id title sku price compareAtPrice taxable } } } } }`

test('every shop has a catalogue: products in collections, reduced ones, and the two tags about members', async () => {
  const shop = await aShop()
  const { data } = await shop.graphql(PRODUCTS)
  const products: Answered[] = data.products.nodes
  assert.equal(products.length, 12)
  const titled = (title: string) => products.find((product) => product.title === title)!
  assert.deepEqual(
    { ...titled('Espresso roast'), id: null, variants: null },
    {
      id: null,
      title: 'Espresso roast',
      vendor: 'Corner shop',
      productType: 'Coffee',
      tags: [],
      collections: { nodes: [{ handle: 'coffee' }, { handle: 'sale' }] },
      variants: null
    }
  )
  assert.deepEqual(
    titled('Espresso roast').variants.nodes.map(({ id: _id, ...rest }: Answered) => rest),
    [
      { title: '250 g', sku: 'ESPRESSO-250', price: '13.50', compareAtPrice: '15.00', taxable: true },
      { title: '1 kg', sku: 'ESPRESSO-1000', price: '42.00', compareAtPrice: '48.00', taxable: true }
    ]
  )
  assert.deepEqual(titled('Micro lot, numbered').tags, ['NO-VIP-DISCOUNT', 'limited'])
  assert.deepEqual(titled('Tote bag for members').tags, ['100%-VIP-DISCOUNT'])

  const sale =
    await shop.graphql(`{ collectionByIdentifier(identifier: { handle: "sale" }) { id title productsCount { count }
    products(first: 9) { nodes { title compare: variants(first: 1) { nodes { compareAtPrice } } } } }
    collections(first: 2, query: "title:Coffee") { nodes { handle } } }`)
  assert.deepEqual(
    sale.data.collectionByIdentifier.products.nodes.map(({ title }: Answered) => title),
    ['Espresso roast', 'Pour-over dripper', 'Hand grinder']
  )
  assert.equal(sale.data.collectionByIdentifier.productsCount.count, 3)
  assert.deepEqual(sale.data.collections.nodes, [{ handle: 'coffee' }])
  const { collection, node } = (
    await shop.graphql(
      `query($id: ID!, $mug: ID!) { collection(id: $id) { hasProduct(id: $mug) } node(id: $id) { ... on Collection { title } } }`,
      { id: sale.data.collectionByIdentifier.id, mug: titled('Stoneware mug').id }
    )
  ).data
  assert.deepEqual([collection.hasProduct, node.title], [false, 'Sale'])
})

test("an updated shop keeps its catalogue, with the staff's changes", async () => {
  const shop = await aShop({ currency: 'JPY' })
  const [first] = (await shop.graphql(PRODUCTS)).data.products.nodes
  assert.equal(first.variants.nodes[0].price, '1250')
  await shop.mutate(
    `mutation($id: ID!, $variants: [ProductVariantsBulkInput!]!) {
       productVariantsBulkUpdate(productId: $id, variants: $variants) { userErrors { field message } } }`,
    { id: first.id, variants: [{ id: first.variants.nodes[0].id, price: '900', compareAtPrice: '1250' }] }
  )
  await shop.sandbox.controls.createShop(shop.shop)
  const [again, ...others] = (await shop.graphql(PRODUCTS)).data.products.nodes
  assert.equal(others.length, 11)
  assert.deepEqual(
    [again.variants.nodes[0].price, again.variants.nodes[0].compareAtPrice, again.variants.nodes[1].compareAtPrice],
    ['900', '1250', null]
  )
})

test('no request of this file caused an internal error', () => assert.deepEqual(bugs, []))
