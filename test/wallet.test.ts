// Membership cards in the wallets of phones, over HTTP and with servers in the place of Apple's and Google's.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { int, row, sql } from '#kit/postgres'
import { changeCampaign } from '#wallet'
import { keysOf } from '../src/mirror/metafields/all-metafields.ts'
import { commandLine } from './command-line.ts'
import {
  apns,
  apple,
  aWalletStore,
  call,
  certificate,
  fieldsOf,
  google,
  key,
  pushedTo,
  service,
  wwdr
} from './wallet-service.ts'
import { appleCertificates, openPass, PASS_TYPE, TEAM } from './wallet-things.ts'

test('the pass is a zip whose manifest has the hash of each file, signed by the certificate of the pass type', async () => {
  const { passOf, ada } = await aWalletStore()
  const { files, pass, manifest } = await passOf(ada)
  const others = Object.keys(files).filter((name) => !['manifest.json', 'signature'].includes(name))
  assert.deepEqual(Object.keys(manifest).toSorted(), others.toSorted())
  for (const name of others) assert.equal(manifest[name], createHash('sha1').update(files[name]!).digest('hex'), name)
  apple.verify(files.signature!, files['manifest.json']!)
  const changed = Buffer.from(files['manifest.json']!)
  changed[5]! ^= 1
  assert.throws(() => apple.verify(files.signature!, changed))
  assert.deepEqual([pass.passTypeIdentifier, pass.teamIdentifier, pass.voided], [PASS_TYPE, TEAM, false])
  const { status, plan, credit } = fieldsOf(pass)
  assert.deepEqual([status, plan, credit], ['Active', 'VIP', 0])
  assert.doesNotMatch(JSON.stringify(pass), /@example\.com/)
  const again = await passOf(ada)
  assert.equal(again.pass.serialNumber, pass.serialNumber)
})

test('only a member who is logged in gets a pass, and only while passes are switched on and set up', async () => {
  const { store, get, wallet, ada } = await aWalletStore({ setUp: false })
  assert.equal((await get('apple', ada)).status, 404)
  await call(store, 'PATCH', '/storefront-settings/svc_wallet_pass_settings', { value: { wallet_pass_enabled: 1 } })
  assert.equal((await get('apple', ada)).status, 404, 'not set up')
  assert.equal((await get('google', ada)).status, 404)
  assert.equal((await wallet('POST', '/apple', { certificate, key, wwdr })).status, 200)
  const bo = await store.customer('bo@example.com')
  assert.deepEqual(
    [(await get('apple', ada)).status, (await get('apple', bo.id)).status, (await get('apple', '')).status],
    [200, 403, 403]
  )
  await call(store, 'PATCH', '/storefront-settings/svc_wallet_pass_settings', { value: { wallet_pass_enabled: 0 } })
  assert.equal((await get('apple', ada)).status, 404, 'switched off')
  const unsigned = await fetch(
    `${service.url}/apps/svc-api/v1/wallet/apple?shop=${store.domain}&logged_in_customer_id=${ada}`
  )
  assert.equal(unsigned.status, 401)
})

test('credentials are checked when they are set, and never shown', async () => {
  const { wallet } = await aWalletStore({ setUp: false })
  const other = appleCertificates({ subject: '/CN=No pass type/O=Example' })
  const refused = async (body: object) => {
    const { status, body: answer } = await wallet('POST', '/apple', body)
    assert.equal(status, 400)
    return JSON.stringify(answer)
  }
  assert.match(await refused({ certificate, key: other.key, wwdr }), /key must be the private key of the certificate/)
  assert.match(await refused({ certificate, key, wwdr: other.wwdr }), /wwdr must be Apple's certificate/)
  assert.match(await refused({ certificate: 'x', key, wwdr }), /certificate must be a certificate as PEM/)
  assert.match(
    await refused({ certificate, key, wwdr, team_id: 'ZZZZZ12345' }),
    /team_id must be that of the certificate/
  )
  assert.match(
    await refused({ ...other, verify: undefined }),
    /pass_type_id is missing: .* probably not a pass type certificate/
  )
  const google = await wallet('POST', '/google', { issuer_id: '1', service_account: '{"type":"user"}' })
  assert.match(JSON.stringify(google.body), /service_account must be the JSON file/)
  await wallet('POST', '/apple', { certificate, key, wwdr })
  const shown = (await wallet('GET', '')).body
  assert.deepEqual([shown.apple.pass_type_id, shown.apple.team_id, shown.google], [PASS_TYPE, TEAM, null])
  assert.doesNotMatch(JSON.stringify(shown), /BEGIN/)
  assert.equal((await wallet('DELETE', '/apple')).body.apple, null)
  assert.equal((await wallet('DELETE', '/apple')).status, 404)
})

test('a person who switches passes on before a wallet is set up is told so', async () => {
  const { store, wallet } = await aWalletStore({ setUp: false })
  const { run } = commandLine(service)
  const set = async (value: 0 | 1) => {
    const given = JSON.stringify({ wallet_pass_enabled: value })
    const of = ['--store', store.domain, '--key', 'svc_wallet_pass_settings', '--value', given]
    const { code, err } = await run(['storefront-settings', 'set', ...of])
    assert.equal(code, 0)
    return err
  }
  assert.match(await set(1), /^No wallet is set up, so that nobody gets a pass yet: /)
  assert.equal(await set(0), '')
  await wallet('POST', '/apple', { certificate, key, wwdr })
  assert.equal(await set(1), '')
  const get = ['storefront-settings', 'get', '--store', store.domain, '--key', 'svc_plan_settings']
  const change = ['storefront-settings', 'set', ...get.slice(2), '--value', '{}']
  const [read, changed] = [await run(get), await run(change)]
  assert.equal(read.err, changed.err, 'a key that is none is refused in the same words')
  assert.match(read.err, /--key must be one of .*svc_wallet_pass_settings/)
})

test('the auditor warns of a certificate that ends within 30 days', async () => {
  const soon = appleCertificates({ days: 20 })
  const { store, wallet } = await aWalletStore({ setUp: false })
  const warned = async () => JSON.stringify((await service.admin('POST', '/doctor', { store: store.domain })).warnings)
  await wallet('POST', '/apple', { certificate, key, wwdr })
  assert.doesNotMatch(await warned(), /wallet_certificate_valid/)
  await wallet('POST', '/apple', { certificate: soon.certificate, key: soon.key, wwdr: soon.wwdr })
  assert.match(await warned(), /wallet_certificate_valid.*expires at/)
})

test('a phone registers, is notified of a change, asks what has changed, fetches the pass, and unregisters', async () => {
  const { passOf, phone, addCredit, ada } = await aWalletStore()
  const token = '0a'.repeat(32)
  const { pass } = await passOf(ada)
  const ours = phone(pass, 'device1')
  assert.equal((await ours.updated()).status, 204, 'not registered')
  assert.equal((await ours.register(token)).status, 201)
  assert.equal((await ours.register(token)).status, 200)
  const first = (await (await ours.updated()).json()) as any
  assert.deepEqual(first.serialNumbers, [pass.serialNumber])
  assert.equal((await ours.updated(first.lastUpdated)).status, 204)
  const before = (await ours.latest()).headers.get('last-modified')!
  assert.equal((await ours.latest({ 'if-modified-since': before })).status, 304)

  await addCredit(ada, 12)
  assert.deepEqual(
    apns.pushed.filter((one) => one.token === token),
    [{ token, topic: PASS_TYPE, authorized: true, body: '{}' }]
  )
  const next = (await (await ours.updated(first.lastUpdated)).json()) as any
  assert.deepEqual(next.serialNumbers, [pass.serialNumber])
  assert.ok(Number(next.lastUpdated) > Number(first.lastUpdated))
  const latest = await ours.latest({ 'if-modified-since': before })
  assert.equal(latest.status, 200)
  const fetched = openPass(new Uint8Array(await latest.arrayBuffer()))
  assert.deepEqual([fetched.pass.serialNumber, fieldsOf(fetched.pass).credit], [pass.serialNumber, 12])
  assert.ok(Date.parse(latest.headers.get('last-modified')!) > Date.parse(before))

  assert.equal((await ours.unregister()).status, 200)
  await addCredit(ada, 3)
  assert.equal(pushedTo(token), 1)
  assert.equal((await ours.log(['a line', 7])).status, 200)
})

test('a phone with a wrong token, or for a pass of another store, is refused, and what it sends is bounded', async () => {
  const [one, other] = [await aWalletStore(), await aWalletStore()]
  const { pass } = await one.passOf(one.ada)
  const { pass: theirs } = await other.passOf(other.ada)
  const statuses = async (changed: object) => {
    const wrong = one.phone({ ...pass, ...changed }, 'device1')
    return [(await wrong.register()).status, (await wrong.latest()).status, (await wrong.unregister()).status]
  }
  assert.deepEqual(await statuses({ authenticationToken: theirs.authenticationToken }), [401, 401, 401])
  assert.deepEqual(await statuses({ webServiceURL: theirs.webServiceURL }), [401, 401, 401])
  assert.deepEqual(await statuses({ serialNumber: theirs.serialNumber }), [401, 401, 401])
  const ours = one.phone(pass, 'device1')
  assert.equal((await ours.register('not hexadecimal')).status, 400)
  assert.equal((await ours.register('ab'.repeat(200))).status, 400)
  assert.equal((await one.phone(pass, 'x'.repeat(200)).register()).status, 400)
  assert.equal((await ours.updated('yesterday')).status, 400)
  assert.equal((await ours.log('x'.repeat(100_000))).status, 400)
})

test('a phone that Apple does not know any more is unregistered; other failures are tried again, and come to an end', async () => {
  const { store, passOf, phone, addCredit, wallet, ada } = await aWalletStore()
  const [dead, failing] = ['de'.repeat(32), 'fa'.repeat(32)]
  const { pass } = await passOf(ada)
  await phone(pass, 'dead').register(dead)
  await phone(pass, 'failing').register(failing)
  apns.answers.set(dead, { status: 410, reason: 'Unregistered' })
  apns.answers.set(failing, { status: 503, reason: 'ServiceUnavailable' })
  await addCredit(ada, 5)
  assert.equal((await wallet('GET', '')).body.devices, 1)
  await store.advance({ by: 'P2D' })
  assert.deepEqual([pushedTo(dead), pushedTo(failing)], [1, 6])
  assert.equal((await wallet('GET', '')).body.problems, 1)
  const { warnings } = await service.admin('POST', '/doctor', { store: store.domain })
  assert.match(JSON.stringify(warnings), /wallet_passes_pushed.*503 \(ServiceUnavailable\)/)
  apns.answers.delete(failing)
  await addCredit(ada, 6)
  assert.equal((await wallet('GET', '')).body.problems, 0)
})

test('a campaign begins and ends by the clock of the store: the metafield says so, and phones are notified', async () => {
  const { store, passOf, phone, wallet, ada } = await aWalletStore()
  const token = 'ca'.repeat(32)
  const { pass } = await passOf(ada)
  await phone(pass, 'device1').register(token)
  const now = await service.db.inStore(store.storeId, async (ctx) => ctx.now)
  const [starts_at, ends_at] = [now.add({ hours: 24 }), now.add({ hours: 48 })].map(String)
  const added = await wallet('POST', '/campaigns', { title: 'Black Friday', text: '20 % off', starts_at, ends_at })
  assert.deepEqual([added.status, added.body.status], [200, 'inactive'])
  const connector = await service.deps.connectorOf(store.storeId)
  const state = async () => {
    const found = await connector.metafields.findOfShop(keysOf('shop'))
    assert.ok(found.ok)
    const [campaign] = JSON.parse(found.value.metafields.get('svc_wallet_pass_sale_campaigns')!.value)
    return [campaign.status, fieldsOf((await passOf(ada)).pass).campaign, pushedTo(token)]
  }
  await service.deps.settle(store.storeId)
  assert.deepEqual(await state(), ['inactive', undefined, 0])
  await store.advance({ by: 'PT25H' })
  assert.deepEqual(await state(), ['active', '20 % off', 1])
  await store.advance({ by: 'PT24H' })
  assert.deepEqual(await state(), ['inactive', undefined, 2])
  const wrong = await wallet('PATCH', `/campaigns/${added.body.id}`, { ends_at: starts_at })
  assert.deepEqual([wrong.status, /ends_at must be after starts_at/.test(JSON.stringify(wrong.body))], [400, true])
  assert.equal((await wallet('PATCH', `/campaigns/${added.body.id}`, { ends_at: null })).body.status, 'active')
  assert.equal((await wallet('DELETE', `/campaigns/${added.body.id}`)).status, 200)
  assert.deepEqual((await wallet('GET', '/campaigns')).body.data, [])
})

const LONGEST = { title: 'x'.repeat(255), text: 'é'.repeat(1000), image: '/'.repeat(1000) }
const TOO_LONG = /must be shorter.*come to \d+ bytes as the metafield svc_wallet_pass_sale_campaigns.*at most 131072/

test('campaigns are refused before they are too long for the metafield of the shop, also two requests at once', async () => {
  const { store, wallet } = await aWalletStore({ setUp: false })
  const list = async () => (await wallet('GET', '/campaigns')).body.data as { id: string }[]
  while ((await wallet('POST', '/campaigns', LONGEST)).status === 200);
  const full = await list()
  assert.ok(full.length > 30 && full.length < 100, `${full.length} campaigns`)
  const refused = await wallet('POST', '/campaigns', LONGEST)
  assert.deepEqual([refused.status, refused.body.error.details[0].field], [400, 'text'])
  assert.match(refused.body.error.message, TOO_LONG)
  assert.equal((await list()).length, full.length)
  // There is room for one more of this, not for two.
  const ends = { text: 'x', image: '', title: 'x' }
  const [one, other] = [full[0]!.id, full[1]!.id]
  for (const id of [one, other]) assert.equal((await wallet('PATCH', `/campaigns/${id}`, ends)).status, 200)
  assert.equal((await wallet('POST', '/campaigns', LONGEST)).status, 200)
  const later = await service.db.inStore(store.storeId, async (ctx) => {
    await changeCampaign(ctx, Number(one.slice('wpc_'.length)), { message: LONGEST.text, image: LONGEST.image })
    const request = wallet('PATCH', `/campaigns/${other}`, LONGEST)
    // It has come as far as it gets while the first is not committed.
    await setTimeout(500)
    return { request }
  })
  const { status, body } = await later.request
  assert.equal(status, 400, JSON.stringify(body))
  assert.match(body.error.message, TOO_LONG)
  await service.deps.settle(store.storeId)
  const connector = await service.deps.connectorOf(store.storeId)
  const found = await connector.metafields.findOfShop(keysOf('shop'))
  assert.ok(found.ok)
  const written = JSON.parse(found.value.metafields.get('svc_wallet_pass_sale_campaigns')!.value)
  assert.deepEqual(
    written.map(({ id }: { id: string }) => id),
    (await list()).map(({ id }) => id)
  )
})

test('a campaign of a list that is too long already can be shortened and switched off, and not be made longer', async () => {
  const { store, wallet } = await aWalletStore({ setUp: false })
  const { body } = await wallet('POST', '/campaigns', { ...LONGEST, text: '' })
  await service.db.inStore(store.storeId, ({ tx, storeId, now }) =>
    tx.run(sql`
      insert into wallet_campaigns (store_id, title, message, image, is_enabled, created_at, updated_at)
      select ${storeId}, ${LONGEST.title}, ${LONGEST.text}, ${LONGEST.image}, false, ${now}, ${now} from generate_series(1, 60)`)
  )
  const change = async (given: object) => (await wallet('PATCH', `/campaigns/${body.id}`, given)).status
  assert.deepEqual([await change({ enabled: false }), await change({ enabled: true })], [200, 200])
  assert.equal(await change({ image: '/a' }), 200)
  const longer = await wallet('PATCH', `/campaigns/${body.id}`, { starts_at: '2026-11-27T08:00:00Z' })
  assert.deepEqual([longer.status, longer.body.error.details[0].field], [400, 'starts_at'])
})

test('when the membership ends its pass is voided, unless the store keeps it, and the member gets no new one', async () => {
  const { store, passOf, phone, get, settle, ada } = await aWalletStore()
  const { pass } = await passOf(ada)
  const ours = phone(pass, 'device1')
  const token = '0e'.repeat(32)
  await ours.register(token)
  const { body } = await service.get(`/subscriptions?customer_id=${ada}`, store.key)
  await call(store, 'POST', `/subscriptions/${body.data[0].id}/cancel`, {})
  await settle()
  assert.ok(pushedTo(token) >= 1)
  const latest = openPass(new Uint8Array(await (await ours.latest()).arrayBuffer()))
  assert.deepEqual([latest.pass.voided, fieldsOf(latest.pass).status], [true, 'Ended'])
  assert.equal((await get('apple', ada)).status, 403)
  const kept = await call(store, 'PATCH', '/settings', { wallet: { ended: 'keep' } })
  assert.equal(kept.status, 200, JSON.stringify(kept.body))
  assert.equal((await passOf(ada)).pass.voided, false)
})

test('the passes of a merged customer are of the one that was kept; those of an erased one are gone', async () => {
  const { store, passOf, phone, settle, ada } = await aWalletStore()
  const { pass } = await passOf(ada)
  const ours = phone(pass, 'device1')
  await ours.register('0d'.repeat(32))
  const bo = await store.customer('bo@example.com')
  await settle()
  await service.admin('POST', `${store.at}/sandbox/merges`, { customer: ada, into: bo.id })
  await settle()
  const merged = openPass(new Uint8Array(await (await ours.latest()).arrayBuffer()))
  assert.notEqual(merged.pass.barcodes[0].message, pass.barcodes[0].message)
  assert.equal((await passOf(bo.id)).pass.serialNumber, pass.serialNumber)

  const { controls } = service.sandbox
  await controls.sendCompliance({ storeId: store.storeId, topic: 'customers/redact', customerId: bo.id })
  await settle()
  await store.advance({ by: 'PT1H' })
  assert.equal((await ours.latest()).status, 401)
  const { left } = await service.db.inStore(store.storeId, ({ tx, storeId }) =>
    tx.one(
      row({ left: int }),
      sql`
      select (select count(*) from wallet_passes where store_id = ${storeId})
           + (select count(*) from wallet_registrations where store_id = ${storeId}) as left`
    )
  )
  assert.equal(left, 0)
})

test('the commands set up wallets from files and keep campaigns', async () => {
  const { store } = await aWalletStore({ setUp: false })
  const { json } = commandLine(service)
  const of = ['--store', store.domain]
  const set = await json('wallet', 'set-apple', ...of, '--certificate', certificate, '--key', key, '--wwdr', wwdr)
  assert.equal(set.apple.team_id, TEAM)
  const both = await json('wallet', 'set-google', ...of, '--issuer', '338812', '--service-account', google.file)
  assert.deepEqual([both.google.issuer_id, both.google.account], ['338812', google.email])
  const added = await json('wallet', 'add-campaign', ...of, '--title', 'Sale', '--enabled', 'no')
  assert.deepEqual([added.status, added.enabled, added.ends_at], ['inactive', false, null])
  const changed = await json('wallet', 'change-campaign', ...of, '--campaign', added.id, '--enabled', 'yes')
  assert.deepEqual([changed.status, changed.title], ['active', 'Sale'])
  await json('wallet', 'remove-campaign', ...of, '--campaign', added.id)
  assert.deepEqual((await json('wallet', 'campaigns', ...of)).data, [])
  assert.equal((await json('wallet', 'refresh', ...of)).passes, 0)
  assert.equal((await json('wallet', 'remove', ...of, '--wallet', 'apple')).apple, null)
  assert.equal((await json('wallet', 'show', ...of)).apple, null)
})
