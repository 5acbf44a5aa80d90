// The blocks of themes (extensions/membership-blocks) as the platform renders them: valid settings, and elements and files that are there.
import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { Liquid } from 'liquidjs'
import { STOREFRONT_FILES } from '../scripts/build-storefront.ts'
import { DATA_SCRIPT, readThemeData } from '../web/storefront/cart/theme-data.ts'

const FOLDER = fileURLToPath(new URL('../extensions/membership-blocks', import.meta.url))
const SCHEMA = /\{% schema %\}(.*)\{% endschema %\}\s*$/s

const snippet = await readFile(join(FOLDER, 'snippets/perennial-style.liquid'), 'utf8')
const liquid = new Liquid({ templates: { 'perennial-style': snippet }, strictFilters: true })
// What is not there is null on the platform, and nothing in this engine.
liquid.registerFilter('json', (value: unknown) => JSON.stringify(value ?? null))
liquid.registerFilter('asset_url', (name: string) => `https://cdn.example/assets/${name}`)

const blocks = await Promise.all(
  (await readdir(join(FOLDER, 'blocks'))).map(async (file) => {
    const text = await readFile(join(FOLDER, 'blocks', file), 'utf8')
    return { file, source: text.replace(SCHEMA, ''), schema: JSON.parse(SCHEMA.exec(text)![1]!) }
  })
)

const PLAN = { status: 1, product_variant_id: '77', plan_id: '88', plan_name: 'VIP', product_price: '29.00' }

/** What a block prints with the defaults of its settings. */
async function render(file: string, visitor: { customer: object | null; plan?: object; cart?: object }) {
  const { source, schema } = blocks.find((block) => block.file === file)!
  const settings = Object.fromEntries(schema.settings.map((one: any) => [one.id, one.default ?? '']))
  return liquid.parseAndRender(source, {
    customer: visitor.customer,
    block: { settings, shopify_attributes: 'data-block="1"' },
    shop: { currency: 'EUR', metafields: { svc: { svc_plan_settings: { value: visitor.plan } } } },
    cart: visitor.cart ?? { token: 't', currency: 'EUR', items: [] },
    request: { locale: { iso_code: 'de' } },
    localization: { country: { iso_code: 'AT' } },
    routes: { account_login_url: '/account/login', cart_add_url: '/cart/add', cart_url: '/cart', root_url: '/de' }
  })
}

for (const { file, schema } of blocks) {
  test(`the settings of ${file} are what the platform accepts`, () => {
    assert.equal(schema.target, file === 'cart-embed.liquid' ? 'body' : 'section')
    assert.ok(schema.name.length <= 25, schema.name)
    const inputs = schema.settings.filter(({ type }: { type: string }) => type !== 'paragraph')
    const ids = inputs.map(({ id }: { id: string }) => id)
    assert.equal(new Set(ids).size, ids.length)
    for (const { type, label, ...rest } of inputs) {
      assert.ok(type && label, JSON.stringify(rest))
      if (type === 'range') assert.ok((rest.max - rest.min) / rest.step <= 100 && rest.default >= rest.min)
    }
  })

  test(`the scripts of ${file} are files that are built`, async () => {
    const printed = await render(file, { customer: { id: 1 }, plan: PLAN })
    const names = [...printed.matchAll(/src="https:\/\/cdn\.example\/assets\/([\w-]+)\.js"/g)].map(([, name]) => name!)
    assert.ok(names.length > 0)
    for (const name of names) assert.ok(name in STOREFRONT_FILES, name)
  })
}

test('a customer gets their membership, and a visitor the way to log in', async () => {
  const own = await render('membership.liquid', { customer: { id: 1 } })
  assert.match(
    own,
    /<perennial-membership\s+data-block="1"\s+style="[^"]*--perennial-accent: #000000;[^"]*"\s+pause-days="30"/
  )
  assert.match(await render('membership.liquid', { customer: null }), /^<p><a href="\/account\/login">Log in/)
})

test('only customers can cancel', async () => {
  assert.match(await render('cancel-button.liquid', { customer: { id: 1 } }), /^<perennial-cancel\s/)
  assert.equal((await render('cancel-button.liquid', { customer: null })).trim(), '')
})

test('everybody but its members can join the plan of the shop, and nobody one that it has not', async () => {
  const printed = await render('join-button.liquid', { customer: null, plan: PLAN })
  const json = /<script type="application\/json">(.*)<\/script>\s*<\/perennial-join>/.exec(printed)![1]!
  assert.deepEqual(JSON.parse(json), PLAN)
  assert.match(printed, /action="\/cart\/add"\s+return-to="\/cart"\s+currency="EUR"/)
  assert.equal((await render('join-button.liquid', { customer: null })).trim(), '')
  const shownTo = async (tags: string[]) =>
    (await render('join-button.liquid', { customer: { tags }, plan: PLAN })).includes('<perennial-join')
  assert.deepEqual(await Promise.all([[], ['SVC: Elite: Active'], ['a', 'SVC: VIP: Active']].map(shownTo)), [
    true,
    true,
    false
  ])
})

test('what is printed for the cart can be read, whatever is in it and whoever is logged in', async () => {
  const read = async (visitor: Parameters<typeof render>[1]) => {
    const printed = await render('cart-embed.liquid', visitor)
    const json = /<script type="application\/json" data-perennial-cart>(.*?)<\/script>/s.exec(printed)![1]!
    const asked: string[] = []
    const page = { querySelector: (selector: string) => ({ textContent: asked.push(selector) ? json : null }) }
    const data = readThemeData(page)!
    assert.deepEqual(asked, [DATA_SCRIPT])
    return { ...data, metafield: data.metafield('svc_plan_settings') }
  }
  const plans = [7, 8].map((id) => ({ selling_plan: { id, name: `Every "${id}"` } }))
  const product = { tags: ['sale', '100%-VIP-DISCOUNT'], collections: [{ id: 1 }, { id: 2 }] }
  const items = [
    { variant_id: 50, product, variant: { compare_at_price: 1200, selling_plan_allocations: plans } },
    { variant_id: 51, product, variant: { compare_at_price: null, selling_plan_allocations: [] } }
  ]
  const facts = { tags: product.tags, collections: [1, 2] }
  const svc = { customer_subscription1: { value: { scid: 5 } }, svc_st: { value: 3.5 } }
  const full = await read({
    customer: { tags: ['a'], metafields: { svc } },
    plan: PLAN,
    cart: { token: 't', currency: 'EUR', items }
  })
  assert.deepEqual([full.root, full.locale, full.country, full.currency], ['/de/', 'de', 'AT', 'EUR'])
  assert.deepEqual(full.variants, {
    50: {
      ...facts,
      compare_at: 1200,
      plans: [
        { id: 7, name: 'Every "7"' },
        { id: 8, name: 'Every "8"' }
      ]
    },
    51: { ...facts, compare_at: null, plans: [] }
  })
  assert.deepEqual(full.customer, { tags: ['a'], subscriptions: [{ scid: 5 }, {}], credit: '3.5' })
  assert.deepEqual(full.metafield, PLAN)
  const empty = await read({ customer: null, cart: { token: 't', currency: 'EUR', items: [] } })
  assert.deepEqual([empty.customer, empty.variants, empty.metafield], [null, {}, {}])
})
