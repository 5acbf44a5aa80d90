// The commands about the app and the connections of stores, and what doctor says of stores that are no sandbox.
import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { sql } from '#kit/postgres'
import { requestedScopes } from '#platform'
import { commandLine } from './command-line.ts'
import { testDatabase } from './database.ts'
import { startService } from './service-builder.ts'
import { until } from './until.ts'

const { url } = await testDatabase()
const service = await startService(url)
const { json, run } = commandLine(service)

test('app-config prints the configuration file of the running service, or of flags without one', async () => {
  const { out, err, code } = await run(['platform', 'app-config'])
  assert.equal(code, 0)
  assert.match(out, /client_id = "YOUR_CLIENT_ID"/)
  assert.ok(out.includes(`application_url = "${service.urls.public}/app"`))
  assert.ok(out.includes(`redirect_urls = [ "${service.urls.public}/app/callback" ]`))
  assert.ok(out.includes(`scopes = "${requestedScopes.join(',')}"`))
  assert.ok(out.includes('compliance_topics = [ "customers/data_request", "customers/redact", "shop/redact" ]'))
  assert.match(out, /\[app_proxy\]\nurl = ".*\/apps\/svc-api"\nprefix = "apps"\nsubpath = "svc-api"/)
  assert.match(err, /protected customer data/)
  assert.match(err, /subscription APIs: .*\(read_own_subscription_contracts, write_own_subscription_contracts\)/)
  const alone = { PERENNIAL_URL: 'http://127.0.0.1:9' }
  const flags = ['--client-id', 'abc', '--url', 'https://svc.example', '--all-orders']
  const offline = await run(['platform', 'app-config', ...flags], alone)
  assert.match(offline.out, /scopes = ".*,read_all_orders"/)
  assert.equal((await run(['platform', 'app-config', '--url', 'https://svc.example/path'])).code, 1)
})

test('a shop of the sandbox is opened, installed by its link, looked at and repaired', async () => {
  const shop = ['--name', 'Dev', '--timezone', 'Europe/Vienna', '--currency', 'EUR']
  const { domain, admin_url } = await json('sandbox', 'open-shop', '--domain', 'Dev.example', ...shop)
  assert.deepEqual([domain, admin_url], ['dev.example', `${service.urls.sandbox}/dev.example/admin`])
  assert.equal((await run(['sandbox', 'open-shop', '--domain', 'dev.example', ...shop])).code, 1)
  for (const wrong of ['bad shop', 'https://dev.example', 'dev.example/admin', 'dev']) {
    const refused = await run(['platform', 'install-link', '--shop', wrong])
    assert.equal(refused.code, 1, wrong)
    assert.match(refused.err, /--shop cannot be '.*'\. It must be the domain of a shop such as books\.myshopify\.com/)
  }
  const { link } = await json('platform', 'install-link', '--shop', domain)
  const begun = await fetch(link, { redirect: 'manual' })
  const [cookie] = begun.headers.get('set-cookie')!.split(';')
  const consent = new URL(begun.headers.get('location')!)
  const agreed = await fetch(consent.href.split('?')[0]!, {
    method: 'POST',
    body: consent.searchParams,
    redirect: 'manual'
  })
  await fetch(agreed.headers.get('location')!, { headers: { cookie: cookie! }, redirect: 'manual' })

  const of = ['--store', domain]
  const shown = await json('platform', 'show', ...of)
  assert.equal(shown.status, 'active')
  assert.ok(Date.parse(shown.refresh_token_expires_at) > Date.parse(shown.token_expires_at))
  assert.match((await run(['platform', 'show', ...of])).out, /All access scopes are granted/)
  await service.sandboxDb.direct.run(
    sql`update sandbox.webhook_subscriptions set uri = 'https://old.example' where topic = 'orders/paid'`
  )
  const wrong = (await json('platform', 'webhooks', ...of)).data.filter(({ problem }: any) => problem !== null)
  assert.deepEqual(wrong, [
    { topic: 'orders/paid', uri: 'https://old.example', problem: 'is sent to https://old.example' }
  ])
  assert.deepEqual(await json('platform', 'repair', ...of), { changed: 1, messages_retried: 0 })
  assert.deepEqual(await json('platform', 'repair', ...of), { changed: 0, messages_retried: 0 })

  assert.deepEqual(await json('sandbox', 'access', ...of, '--without', 'write_orders,read_orders'), {
    missing_scopes: ['write_orders', 'read_orders'],
    token: 'kept'
  })
  const listed = (await run(['platform', 'scopes', ...of])).out
  assert.match(
    listed,
    /^write_orders: MISSING\n {4}needed for {4}tags of orders\n {4}without it {4}orders get no tags$/m
  )
  assert.match(listed, /^write_products: granted$/m)
  assert.equal((await run(['sandbox', 'access', ...of, '--without', 'write_dreams'])).code, 1)
  assert.equal((await run(['sandbox', 'access', ...of])).code, 1)
  await json('sandbox', 'access', ...of, '--without', 'none', '--token', 'expire')
  assert.deepEqual((await json('doctor', ...of)).findings, [])

  await json('sandbox', 'access', ...of, '--token', 'revoke')
  await run(['platform', 'repair', ...of])
  // What the platform answers to the token is written beside the call that met it.
  const refused = await until('the refused token is noted', async () => {
    const { out } = await run(['platform', 'show', ...of])
    return /The platform refuses the access token; perennial status --store dev\.example says/.test(out) ? out : null
  })
  assert.doesNotMatch(refused, /All access scopes/)
  assert.match((await run(['alert', 'list', ...of])).out, /Z {2}alert_\d+ {2}platform_unauthorized {2}\S/)
  await json('sandbox', 'uninstall', ...of)
  const gone = (await run(['platform', 'show', ...of])).out
  assert.match(gone, /The store is not connected: the app has no access to the shop\./)
  assert.doesNotMatch(gone, /All access scopes/)
  // What does not work comes first, and the lack of findings is about the data alone.
  const checked = (await run(['doctor', ...of])).out
  assert.match(
    checked,
    /^Not working now:\n\ndev\.example: .*nothing is billed.*\n\nChecks, and .*\nNo findings in the data\.\n/s
  )
})

test('doctor warns of a live store whose token does not expire, and of orders that it may not see', async () => {
  const store = await service.aStore()
  const of = ['--store', store.id]
  const warningsOf = async () =>
    // Its clock has been moved by months, so that charges were missed, which is a finding.
    JSON.parse((await run(['doctor', ...of, '--json'])).out)
      .warnings.map(({ check }: { check: string }) => check)
      .filter((check: string) => ['access_token_expires', 'all_orders_readable'].includes(check))
      .toSorted()
  assert.deepEqual(await warningsOf(), [])
  const set = (scopes: string[]) =>
    service.db.inStore(store.storeId, ({ tx, storeId }) =>
      tx.run(
        sql`update stores set sandbox = false, clock_at = null, granted_scopes = ${scopes} where store_id = ${storeId}`
      )
    )
  await store.member('ada@example.com')
  const mayBeLater = async () => (await json('member', 'list', ...of)).data[0].first_orders.may_be_later
  await set([...requestedScopes])
  assert.deepEqual(await warningsOf(), ['access_token_expires', 'all_orders_readable'])
  assert.equal(await mayBeLater(), true)
  await set([...requestedScopes, 'read_all_orders'])
  assert.deepEqual(await warningsOf(), ['access_token_expires'])
  assert.equal(await mayBeLater(), false)
})

test('platform check reads a schema, and exits with 1 when something breaks', async () => {
  const file = join(tmpdir(), `schema-${process.pid}.graphql`)
  await writeFile(file, 'type Query { shop: Shop } type Shop { name: String } schema { query: Query }')
  const { code, out } = await run(['platform', 'check', '--schema', file])
  assert.equal(code, 1)
  assert.match(out, /breaks +ShopInfo +Cannot query field/)
  const missing = await run(['platform', 'check', '--schema', '/nothing/here'])
  assert.match(missing.err, /--schema \/nothing\/here cannot be read/)
})
