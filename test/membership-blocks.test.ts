// The blocks of themes (extensions/membership-blocks) as the platform renders them: valid settings, and elements and files that are there.
import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { Liquid } from 'liquidjs'
import { STOREFRONT_FILES } from '../scripts/build-storefront.ts'

const FOLDER = fileURLToPath(new URL('../extensions/membership-blocks', import.meta.url))
const SCHEMA = /\{% schema %\}(.*)\{% endschema %\}\s*$/s

const snippet = await readFile(join(FOLDER, 'snippets/perennial-style.liquid'), 'utf8')
const liquid = new Liquid({ templates: { 'perennial-style': snippet }, strictFilters: true })
liquid.registerFilter('asset_url', (name: string) => `https://cdn.example/assets/${name}`)

const blocks = await Promise.all(
  (await readdir(join(FOLDER, 'blocks'))).map(async (file) => {
    const text = await readFile(join(FOLDER, 'blocks', file), 'utf8')
    return { file, source: text.replace(SCHEMA, ''), schema: JSON.parse(SCHEMA.exec(text)![1]!) }
  })
)

const PLAN = { status: 1, product_variant_id: '77', plan_id: '88', plan_name: 'VIP', product_price: '29.00' }

/** What a block prints with the defaults of its settings. */
async function render(file: string, visitor: { customer: object | null; plan?: object }) {
  const { source, schema } = blocks.find((block) => block.file === file)!
  const settings = Object.fromEntries(schema.settings.map((one: any) => [one.id, one.default ?? '']))
  return liquid.parseAndRender(source, {
    customer: visitor.customer,
    block: { settings, shopify_attributes: 'data-block="1"' },
    shop: { currency: 'EUR', metafields: { svc: { svc_plan_settings: { value: visitor.plan } } } },
    routes: { account_login_url: '/account/login', cart_add_url: '/cart/add', cart_url: '/cart' }
  })
}

for (const { file, schema } of blocks) {
  test(`the settings of ${file} are what the platform accepts`, () => {
    assert.equal(schema.target, 'section')
    assert.ok(schema.name.length <= 25, schema.name)
    const ids = schema.settings.map(({ id }: { id: string }) => id)
    assert.equal(new Set(ids).size, ids.length)
    for (const { type, label, ...rest } of schema.settings) {
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

test('everybody can join the plan of the shop, and nobody one that it has not', async () => {
  const printed = await render('join-button.liquid', { customer: null, plan: PLAN })
  const json = /<script type="application\/json">(.*)<\/script>\s*<\/perennial-join>/.exec(printed)![1]!
  assert.deepEqual(JSON.parse(json), PLAN)
  assert.match(printed, /action="\/cart\/add"\s+return-to="\/cart"\s+currency="EUR"/)
  assert.equal((await render('join-button.liquid', { customer: null })).trim(), '')
})
