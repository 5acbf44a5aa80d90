import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { request } from 'undici'
import { testDatabase } from '../../test/database.ts'
import { startSandbox } from '../start-sandbox.test-helper.ts'

const { db } = await testDatabase()
const { aShop, bugs } = await startSandbox(db)

type Answer = { type?: string; body: string; status?: number; compressed?: boolean }

/** A shop whose app answers with this. */
async function aShopOf({ type = 'application/liquid', body, status = 200, compressed = false }: Answer) {
  const app = createServer((_request, response) => {
    const headers = { 'content-type': type, ...(compressed && { 'content-encoding': 'gzip' }), 'x-app': 'yes' }
    response.writeHead(status, headers).end(compressed ? gzipSync(body) : body)
  })
  await new Promise<void>((resolve) => app.listen(0, '127.0.0.1', resolve))
  after(() => void app.close())
  const shop = await aShop({ appProxyUrl: `http://127.0.0.1:${(app.address() as AddressInfo).port}` })
  const visit = async (headers: Record<string, string> = {}) => {
    const response = await request(`${shop.base}/apps/svc-api/page`, { dispatcher: shop.agent, headers })
    return { status: response.statusCode, headers: response.headers, text: await response.body.text() }
  }
  return { shop, visit }
}

test("an app's template is rendered inside the theme, with the shop's metafields", async () => {
  const { shop, visit } = await aShopOf({
    body: '<p>{{ shop.name }}: {{ shop.metafields.svc.plan.value.title }}, {{ 1234 | money }}</p>'
  })
  const { data } = await shop.graphql('{ shop { id } }')
  await shop.mutate(
    'mutation($metafields: [MetafieldsSetInput!]!) { metafieldsSet(metafields: $metafields) { userErrors { message } } }',
    {
      metafields: [{ ownerId: data.shop.id, namespace: 'svc', key: 'plan', type: 'json', value: '{"title":"VIP"}' }]
    }
  )
  const { status, headers, text } = await visit()
  assert.deepEqual([status, headers['content-type'], headers['x-app']], [200, 'text/html; charset=utf-8', 'yes'])
  assert.match(text, /^<!doctype html>/)
  assert.match(text, /<p>Corner shop: VIP, \$12\.34<\/p>/)
})

test('a template may be compressed, keep its status, and ask for no theme', async () => {
  const { visit } = await aShopOf({
    body: '{% layout none %}{% if customer %}In{% else %}Out{% endif %}',
    status: 404,
    compressed: true
  })
  const { status, text } = await visit()
  assert.deepEqual([status, text], [404, 'Out'])
})

test('what is wrong with a template stands in its place', async () => {
  const { visit } = await aShopOf({ body: '{% if %}' })
  assert.match((await visit()).text, /Liquid error: /)
})

test('a template reads no files and does not run for ever', async () => {
  const endless = await aShopOf({
    body: '{% for i in (1..100000000) %}{% for j in (1..100000000) %}{{ i }}{% endfor %}{% endfor %}'
  })
  assert.match((await endless.visit()).text, /Liquid error: /)
  const reading = await aShopOf({ body: "{% render '/etc/hostname' %}" })
  assert.match((await reading.visit()).text, /Liquid error: /)
})

test('another page of an app stays as it is', async () => {
  const { visit } = await aShopOf({ type: 'text/html', body: '<p>{{ shop.name }}</p>' })
  assert.equal((await visit()).text, '<p>{{ shop.name }}</p>')
})

test('no request of this file caused an internal error', () => assert.deepEqual(bugs, []))
