// Receipts as a theme sends them, through the signed proxy, and as operators decide them.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { sql } from '#kit/postgres'
import { platformAccess } from '#stores'
import { commandLine } from '../../../test/command-line.ts'
import { testDatabase } from '../../../test/database.ts'
import { aLoyaltyShop } from '../../../test/loyalty-shop.ts'
import { receiptFiles, receiptFolder } from '../../../test/receipt-files.ts'
import { aJpeg, aPdf, aPng, aWebp } from '../../../test/receipt-samples.ts'
import { OPERATOR_TOKEN, startService } from '../../../test/service-builder.ts'
import { testVault } from '../../../test/store-builder.ts'
import { signedQuery } from './signed.test-helper.ts'

const { url } = await testDatabase()
const service = await startService(url)

type Fields = Record<string, string | Buffer | (string | Buffer)[] | null>

let sent = 0

async function aShop(rules: object = {}, more: object = {}) {
  const shop = await aLoyaltyShop(service)
  const { storeId, store } = shop
  const { proxySecret } = await platformAccess(service.db, testVault, storeId)
  const signer = { domain: store.domain, credentials: { accessToken: '', appSecret: '', proxySecret } }
  const ruleId = await shop.rule('upload_receipt', rules, { reward_type: 'points' }, more)
  const pathAs = (customerId: string) => `/apps/svc-api/v1/loyalty/receipts?${signedQuery(signer, {}, { customerId })}`
  const post = async (customerId: string, body: FormData | string, headers?: Record<string, string>) => {
    const response = await fetch(`${service.url}${pathAs(customerId)}`, {
      method: 'POST',
      body,
      ...(headers && { headers })
    })
    return { status: response.status, body: (await response.json()) as any }
  }
  const at = `${store.at}/loyalty/receipts`
  const forgetLimits = () =>
    service.db.inStore(storeId, ({ tx }) => tx.run(sql`delete from rate_windows where store_id = ${storeId}`))
  return {
    ...shop,
    ruleId,
    forgetLimits,
    pathAs,
    post,
    /** Sends a receipt of 29.50, however many were sent; what is given replaces that, and null leaves it out. */
    async send(customerId: string, given: Fields = {}, { isLimited = false } = {}) {
      if (!isLimited) await forgetLimits()
      const form = new FormData()
      const fields: Fields = {
        rule_id: String(ruleId),
        retailer: 'Corner Store',
        amount: '29.50',
        purchased_on: '2026-01-31',
        receipt_number: `A-${++sent}`,
        file: aPng(`Receipt ${sent}`),
        ...given
      }
      for (const [name, values] of Object.entries(fields)) {
        for (const value of [values].flat()) {
          if (Buffer.isBuffer(value))
            form.append(name, new Blob([new Uint8Array(value)], { type: 'image/png' }), 'receipt.png')
          else if (value !== null) form.append(name, value)
        }
      }
      return post(customerId, form)
    },
    at,
    list: async (query = '') => (await service.admin('GET', `${at}${query}`)).data as any[],
    approve: (id: number, body: object = {}) => service.admin('POST', `${at}/${id}/approve`, body),
    refuse: (id: number, reason = 'It cannot be read') => service.admin('POST', `${at}/${id}/refuse`, { reason }),
    file: (id: number, token = OPERATOR_TOKEN) =>
      fetch(`${service.url}/admin/api${at}/${id}/file`, { headers: { authorization: `Bearer ${token}` } }),
    /** The names of the files of the shop in the storage. */
    files: async () => (await readdir(join(receiptFolder, String(storeId))).catch(() => [])) as string[]
  }
}

const accepted = ({ status, body }: { status: number; body: any }) => {
  assert.equal(status, 200, JSON.stringify(body))
  return body.data
}
const problems = ({ status, body }: { status: number; body: any }) => [status, body.errors]

test('a receipt is sent, found by an operator, approved over another amount, and refused after all', async () => {
  const shop = await aShop({ points_per_dollar: 2 })
  const ada = await shop.customer('ada@example.com')
  const photo = aJpeg('Photo')
  const { id, created_at, ...receipt } = accepted(await shop.send(ada, { file: photo, receipt_number: 'A-1' }))
  assert.match(created_at, /^2026-01-31T/)
  assert.deepEqual(receipt, {
    status: 'waiting',
    rule_id: shop.ruleId,
    retailer: 'Corner Store',
    purchased_on: '2026-01-31',
    receipt_number: 'A-1',
    amount: '29.50',
    points: null
  })
  assert.deepEqual(await shop.points(ada), [0, 0, 0])
  const [waiting] = await shop.list(`?status=waiting&customer=${ada}`)
  assert.deepEqual(
    [waiting.id, waiting.platform_customer_id, waiting.content_type, waiting.file_bytes, waiting.has_file],
    [id, ada, 'image/jpeg', photo.length, true]
  )

  const approved = await shop.approve(id)
  assert.deepEqual(
    [approved.status, approved.approved_amount, approved.points, approved.decided_by],
    ['approved', '29.50', 59, 'operator']
  )
  await shop.approve(id)
  assert.deepEqual(await shop.points(ada), [59, 0, 59])
  const corrected = await shop.approve(id, { amount: '10.99' })
  assert.deepEqual([corrected.amount, corrected.approved_amount, corrected.points], ['29.50', '10.99', 21])
  assert.deepEqual(await shop.points(ada), [21, 0, 21])

  const refused = await shop.refuse(id, 'Not a receipt')
  assert.deepEqual(
    [refused.status, refused.reason, refused.approved_amount, refused.points],
    ['refused', 'Not a receipt', null, null]
  )
  await shop.refuse(id, 'Not a receipt')
  assert.deepEqual(await shop.points(ada), [0, 0, 0])
  assert.deepEqual([(await shop.list('?status=waiting')).length, (await shop.list('?status=refused')).length], [0, 1])
  await shop.approve(id, { amount: 5 })
  assert.deepEqual(await shop.points(ada), [10, 0, 10])
  await shop.settle()
  await shop.store.soundBooks()
})

test('doctor finds a receipt that counts what nobody has approved', async () => {
  const shop = await aShop()
  const ada = await shop.customer('ada@example.com')
  const { id } = accepted(await shop.send(ada))
  await shop.approve(id)
  await service.db.inStore(shop.storeId, ({ tx, storeId }) =>
    tx.run(sql`update loyalty_receipts set approved_minor = 1 where store_id = ${storeId} and id = ${id}`)
  )
  const { findings } = await service.admin('POST', '/doctor', { store: shop.store.id })
  assert.deepEqual(
    findings.map(({ check, message }: any) => [check, message]),
    [['receipts_counted', `has receipt ${id}, approved with 1 minor units, which counts 2950`]]
  )
})

test('only operators get the file, as an attachment that runs nothing', async () => {
  const shop = await aShop()
  const ada = await shop.customer('ada@example.com')
  for (const [make, type, ending] of [
    [aPng, 'image/png', 'png'],
    [aJpeg, 'image/jpeg', 'jpg'],
    [aWebp, 'image/webp', 'webp'],
    [aPdf, 'application/pdf', 'pdf']
  ] as const) {
    const bytes = make(`<script>alert('${shop.storeId}')</script>`)
    const { id } = accepted(await shop.send(ada, { file: bytes }))
    const response = await shop.file(id)
    const header = (name: string) => response.headers.get(name)
    assert.equal(response.status, 200)
    assert.deepEqual(Buffer.from(await response.arrayBuffer()), bytes)
    assert.deepEqual(
      [header('content-type'), header('content-disposition'), header('x-content-type-options')],
      [type, `attachment; filename="receipt-${id}.${ending}"`, 'nosniff']
    )
    assert.equal(header('content-security-policy'), "default-src 'none'; sandbox")
    assert.equal((await shop.file(id, shop.store.key)).status, 401)
  }
  assert.equal((await shop.file(999_999)).status, 404)
  const other = await aShop()
  const [first] = await shop.list()
  assert.equal((await other.file(first.id)).status, 404)
})

test('who is not logged in is refused before anything is read', async () => {
  const shop = await aShop()
  const visitor = await shop.post('', 'no form at all')
  assert.deepEqual([visitor.status, visitor.body.message], [403, 'Log in to send a receipt'])
  assert.deepEqual(await shop.list(), [])
})

test('a rule that cannot count it now is no reason to take a receipt', async () => {
  const shop = await aShop({ accepted_retailers: ['Corner Store', 'Café Zoë'] })
  const ada = await shop.customer('ada@example.com')
  const found = async (given: Fields) => problems(await shop.send(ada, given))
  assert.deepEqual(await found({ rule_id: '999999' }), [
    422,
    { rule_id: ['must be the id of a loyalty rule that rewards receipts'] }
  ])
  const other = await shop.rule('create_account', {}, { reward_type: 'points', amount: 1 })
  assert.equal((await found({ rule_id: String(other) }))[0], 422)
  assert.deepEqual(await found({ retailer: 'Corner' }), [422, { retailer: ['must be one of Corner Store, Café Zoë'] }])
  assert.equal(accepted(await shop.send(ada, { retailer: ' CAFE\u0301 ZOË ' })).retailer, 'Café Zoë')
  assert.deepEqual(Object.keys((await found({ purchased_on: '2026-02-01' }))[1]), ['purchased_on'])
  assert.deepEqual(Object.keys((await found({ purchased_on: '2026-01-30' }))[1]), ['purchased_on'])

  const forMembers = await shop.rule(
    'upload_receipt',
    { customer_settings: { apply_to: 'members', action: 'include', tags: [] } },
    { reward_type: 'points' }
  )
  assert.deepEqual((await shop.send(ada, { rule_id: String(forMembers) })).body, {
    message: `Loyalty rule ${forMembers} is not for this customer`
  })
  await service.admin('PATCH', `${shop.store.at}/loyalty/rules/${forMembers}`, { enabled: false })
  assert.deepEqual((await shop.send(ada, { rule_id: String(forMembers) })).body, {
    message: `Loyalty rule ${forMembers} is not active`
  })
  await service.admin('PATCH', `${shop.store.at}/settings`, { loyalty: { enabled: 'off' } })
  const off = await shop.send(ada)
  assert.deepEqual([off.status, off.body.message], [403, 'The shop has switched loyalty off'])
  assert.equal((await shop.list()).length, 1)
})

test('fields that are wrong are named, all at once', async () => {
  const shop = await aShop()
  const ada = await shop.customer('ada@example.com')
  const wrong = await shop.send(ada, {
    rule_id: 'x',
    retailer: 'two\nlines',
    amount: '0',
    purchased_on: '2026-02-30',
    receipt_number: 'x'.repeat(101),
    file: null
  })
  assert.deepEqual(
    [wrong.status, Object.keys(wrong.body.errors)],
    [422, ['rule_id', 'retailer', 'purchased_on', 'amount', 'receipt_number', 'file']]
  )
  for (const [field, value] of [
    ['amount', '29.505'],
    ['amount', '-1'],
    ['amount', '1e3'],
    ['amount', '1000000000.01'],
    ['retailer', '   '],
    ['retailer', 'x'.repeat(256)],
    ['retailer', ['One', 'Two']],
    ['purchased_on', '31.01.2026'],
    ['rule_id', aPng()],
    ['anything', aPng()]
  ] as const) {
    const refused = await shop.send(ada, { [field]: value as Fields[string] })
    assert.deepEqual([refused.status, Object.keys(refused.body.errors)], [422, [field]], `${field} ${value}`)
  }
  // A theme may add fields of its own.
  accepted(await shop.send(ada, { utf8: '✓', receipt_number: null }))
})

test('a file that is no image or PDF, is damaged, too large, or more than one, is refused and not stored', async () => {
  const shop = await aShop()
  const ada = await shop.customer('ada@example.com')
  const large = Buffer.concat([aJpeg(), Buffer.alloc(5 * 1024 * 1024)])
  for (const [what, file] of [
    ['HTML named .png', Buffer.from('<!doctype html><script>alert(1)</script>')],
    ['SVG', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>')],
    ['GIF', Buffer.from('GIF89a\x01\0\x01\0\0\0\0;', 'latin1')],
    ['half a PNG', aPng('x').subarray(0, 60)],
    ['a bomb', aPng('x', { width: 60_000, height: 60_000 })],
    ['no bytes', Buffer.alloc(0)],
    ['over 5 MB', large],
    ['6 MB', Buffer.concat([large, Buffer.alloc(1024 * 1024)])],
    ['two files', [aPng('1'), aPng('2')]],
    ['no file', null],
    ['a text', 'receipt.png']
  ] as const) {
    const refused = await shop.send(ada, { file: file as Fields[string] })
    assert.deepEqual([refused.status, Object.keys(refused.body.errors)], [422, ['file']], what)
  }
  assert.deepEqual([await shop.list(), await shop.files()], [[], []])
})

test('whoever sends a photo that is too large can send all of it, and reads why it was refused', async () => {
  const shop = await aShop()
  const ada = await shop.customer('ada@example.com')
  const { hostname, port } = new URL(service.url)
  const socket = connect(Number(port), hostname)
  await once(socket, 'connect')
  const chunk = Buffer.alloc(1024 * 1024)
  const head = [
    `POST ${shop.pathAs(ada)} HTTP/1.1`,
    ...[`Host: ${hostname}`, 'Content-Type: multipart/form-data; boundary=b', `Content-Length: ${40 * chunk.length}`]
  ]
  socket.write(`${head.join('\r\n')}\r\n\r\n`)
  const [answer] = await once(socket, 'data')
  assert.match(String(answer), /^HTTP\/1.1 422 [\s\S]*file must be at most 5 MB/)
  for (let sent = 0; sent < 40; sent++) if (!socket.write(chunk)) await once(socket, 'drain')
  // The connection goes on.
  socket.write(`GET ${shop.pathAs(ada)} HTTP/1.1\r\nHost: ${hostname}\r\nConnection: close\r\n\r\n`)
  const [next] = await once(socket, 'data')
  assert.match(String(next), /^HTTP\/1.1 404 /)
  socket.destroy()
})

test('what is no form of few parts is refused', async () => {
  const shop = await aShop()
  const ada = await shop.customer('ada@example.com')
  const type = { 'content-type': 'multipart/form-data; boundary=b' }
  const part = '--b\r\ncontent-disposition: form-data; name="amount"\r\n\r\n1\r\n'
  for (const [body, headers, message] of [
    ['{}', { 'content-type': 'application/json' }, /Content-Type: multipart\/form-data/],
    [part, { 'content-type': 'multipart/form-data' }, /with a boundary/],
    [part, type, /up to the last boundary/],
    ['nothing', type, /up to the last boundary/],
    [`${part.repeat(21)}--b--\r\n`, type, /more than 20 parts/],
    [`--b\r\n${'x: y\r\n'.repeat(1000)}\r\n--b--\r\n`, type, /bytes of headers/]
  ] as const) {
    const refused = await shop.post(ada, body, headers)
    assert.equal(refused.status, 422, body.slice(0, 50))
    assert.match(refused.body.message, message)
  }
  const none = await shop.post(ada, '')
  assert.equal(none.status, 422)
})

test('a file counts once, and so does a purchase, whoever has sent it', async () => {
  const shop = await aShop()
  const ada = await shop.customer('ada@example.com')
  const bob = await shop.customer('bob@example.com')
  const file = aPng('The same')
  const first = accepted(await shop.send(ada, { file, receipt_number: 'B-1' }))
  const again = { file: ['was sent before: each file counts once'] }
  for (const who of [ada, bob]) assert.deepEqual(problems(await shop.send(who, { file })), [422, again])
  const photographed = await shop.send(bob, { retailer: 'corner store', receipt_number: 'b-1', amount: '31' })
  assert.deepEqual([photographed.status, Object.keys(photographed.body.errors)], [422, ['receipt_number']])
  accepted(await shop.send(bob, { receipt_number: 'B-2' }))
  // Without a number on one of them: the same shop, day and amount of one customer.
  assert.equal((await shop.send(ada, { receipt_number: null })).status, 422)
  accepted(await shop.send(ada, { receipt_number: null, amount: '29.51' }))
  assert.equal((await shop.send(ada, { receipt_number: null, amount: '29.51' })).status, 422)
  await shop.settle()
  assert.deepEqual([(await shop.list()).length, (await shop.files()).length], [3, 3])

  // A refused purchase may be sent anew, not its file; then the first cannot be approved after all.
  await shop.refuse(first.id)
  assert.deepEqual(problems(await shop.send(ada, { file, receipt_number: 'B-1' })), [422, again])
  const anew = accepted(await shop.send(ada, { receipt_number: 'B-1' }))
  await assert.rejects(shop.approve(first.id), new RegExp(`same purchase as receipt ${anew.id}`))
})

test('of ten that send the same file at once, one is taken', async () => {
  const shop = await aShop({ auto_approve: true, max_points: 10 })
  const ada = await shop.customer('ada@example.com')
  const bob = await shop.customer('bob@example.com')
  const file = aPng('At once')
  const sent = await Promise.all(Array.from({ length: 10 }, (_, i) => shop.send(i % 2 ? ada : bob, { file })))
  assert.deepEqual(sent.map(({ status }) => status).sort(), [200, ...Array.from({ length: 9 }, () => 422)])
  await shop.settle()
  assert.equal((await shop.files()).length, 1)
  const sums = [await shop.points(ada), await shop.points(bob)].map(([balance]) => balance).sort()
  assert.deepEqual(sums, [0, 10])
})

test('a rule that approves receipts gives at most max_points at once', async () => {
  const shop = await aShop({ points_per_dollar: 1, auto_approve: true, max_points: 100 })
  const ada = await shop.customer('ada@example.com')
  const small = accepted(await shop.send(ada, { amount: '20.99' }))
  assert.deepEqual([small.status, small.points], ['approved', 20])
  const large = accepted(await shop.send(ada, { amount: '5000' }))
  assert.deepEqual([large.status, large.points], ['approved', 100])
  assert.deepEqual(await shop.points(ada), [120, 0, 120])
  assert.deepEqual((await shop.list())[0].decided_by, 'rule')
  await shop.refuse(large.id)
  assert.deepEqual(await shop.points(ada), [20, 0, 20])
})

test('what a rule said when the receipt was sent counts, though it is changed, disabled or archived since', async () => {
  const shop = await aShop({ points_per_dollar: 1, max_points: 50 })
  const ada = await shop.customer('ada@example.com')
  const sent = [accepted(await shop.send(ada, { amount: '40' })), accepted(await shop.send(ada, { amount: '60' }))]
  const rule = `${shop.store.at}/loyalty/rules/${shop.ruleId}`
  await service.admin('PATCH', rule, { rules: { points_per_dollar: 10 }, enabled: false })
  assert.equal((await shop.approve(sent[0]!.id)).points, 40)
  await service.admin('DELETE', rule)
  assert.equal((await shop.approve(sent[1]!.id)).points, 50)
})

test('while loyalty is off nothing is approved, and what was approved can be refused', async () => {
  const shop = await aShop()
  const ada = await shop.customer('ada@example.com')
  const [first, second] = [accepted(await shop.send(ada)), accepted(await shop.send(ada))]
  await shop.approve(first.id)
  await service.admin('PATCH', `${shop.store.at}/settings`, { loyalty: { enabled: 'off' } })
  await assert.rejects(shop.approve(second.id), /switched loyalty off/)
  await shop.refuse(first.id)
  assert.deepEqual(await shop.points(ada), [0, 0, 0])
  await service.admin('PATCH', `${shop.store.at}/settings`, { loyalty: { enabled: 'on' } })
  assert.equal((await shop.approve(second.id)).points, 29)
})

test('a customer has at most 20 receipts that wait, and sends at most 10 a minute', async () => {
  const shop = await aShop()
  const ada = await shop.customer('ada@example.com')
  await shop.forgetLimits()
  const statuses: number[] = []
  for (let i = 0; i < 11; i++) statuses.push((await shop.send(ada, {}, { isLimited: true })).status)
  // A minute may have ended on the way.
  assert.ok(statuses.includes(429) || new Set(statuses).size === 1)
  const bob = await shop.customer('bob@example.com')
  for (let i = 0; i < 20; i++) accepted(await shop.send(bob))
  const last = await shop.send(bob)
  assert.equal(last.status, 403)
  assert.match(last.body.message, /20 receipts of yours wait for approval/)
  const [newest] = await shop.list(`?customer=${bob}&limit=1`)
  await shop.refuse(newest.id)
  accepted(await shop.send(bob))
})

test('a file that was written before a crash is removed, and one whose receipt is there stays', async () => {
  const shop = await aShop()
  const ada = await shop.customer('ada@example.com')
  accepted(await shop.send(ada))
  const [kept] = await shop.files()
  const orphan = '00000000-0000-4000-8000-000000000001'
  const half = '00000000-0000-4000-8000-000000000002'
  await receiptFiles.write(shop.storeId, orphan, aPng('orphan'))
  await writeFile(join(receiptFolder, String(shop.storeId), `${half}.part`), 'half a file')
  await service.db.inStore(shop.storeId, ({ tx, storeId, now }) =>
    tx.run(sql`
      insert into loyalty_receipt_files (store_id, name, due_at)
      select ${storeId}, name, ${now.add({ minutes: 60 })} from unnest(${[orphan, half]}::text[]) as n(name)`)
  )
  await shop.store.advance({ by: 'PT59M' })
  assert.equal((await shop.files()).length, 3)
  await shop.store.advance({ by: 'PT2M' })
  assert.deepEqual(await shop.files(), [kept])
})

test('a disk that takes no file is an error that says so, and leaves nothing', async () => {
  const shop = await aShop()
  const ada = await shop.customer('ada@example.com')
  // A file where the folder of the shop would be.
  await mkdir(receiptFolder, { recursive: true })
  await writeFile(join(receiptFolder, String(shop.storeId)), '')
  const file = aPng('Later')
  const failed = await shop.send(ada, { file })
  assert.equal(failed.status, 503)
  assert.match(failed.body.message, /could not be stored.*send the receipt again later/)
  const { data } = await service.admin('GET', `${shop.store.at}/alerts`)
  assert.deepEqual(
    data.map(({ kind }: any) => kind),
    ['receipts_not_stored']
  )
  await receiptFiles.removeStore(shop.storeId)
  accepted(await shop.send(ada, { file }))
})

test('the file is removed some days after the decision, and the receipt stays', async () => {
  const shop = await aShop()
  const ada = await shop.customer('ada@example.com')
  const [decided, waiting] = [accepted(await shop.send(ada)), accepted(await shop.send(ada))]
  await service.admin('PATCH', `${shop.store.at}/settings`, { loyalty: { receipt_file_days: 2 } })
  await shop.approve(decided.id)
  await shop.store.advance({ by: 'P1D' })
  assert.equal((await shop.files()).length, 2)
  await shop.store.advance({ by: 'P2D' })
  assert.equal((await shop.files()).length, 1)
  assert.deepEqual(
    (await shop.list()).map((one) => [one.id, one.has_file]),
    [
      [waiting.id, true],
      [decided.id, false]
    ]
  )
  const gone = await shop.file(decided.id)
  assert.deepEqual(
    [gone.status, ((await gone.json()) as any).error.message],
    [404, `The file of receipt ${decided.id} is not kept any more`]
  )
})

test('an erased customer has no receipt and no file any more; a deleted store has none at all', async () => {
  const shop = await aShop()
  const ada = await shop.customer('ada@example.com')
  const bob = await shop.customer('bob@example.com')
  const { id } = accepted(await shop.send(ada))
  accepted(await shop.send(bob))
  await shop.approve(id)
  const request = await service.admin('POST', `${shop.store.at}/privacy`, {
    topic: 'customers/data_request',
    customer: ada
  })
  await shop.settle()
  const held = await service.admin('GET', `${shop.store.at}/privacy/${request.id}/export`)
  assert.deepEqual(
    held.held.loyalty_receipts.map((one: any) => one.retailer),
    ['Corner Store']
  )
  await service.admin('POST', `${shop.store.at}/privacy`, { topic: 'customers/redact', customer: ada })
  await shop.store.advance({ by: 'PT1H' })
  assert.deepEqual([(await shop.list()).length, (await shop.files()).length], [1, 1])
  await assert.rejects(shop.approve(id), new RegExp(`There is no receipt ${id}`))
  await shop.store.soundBooks()
  await service.admin('POST', `${shop.store.at}/delete`, { name: 'Test shop' })
  assert.deepEqual(await shop.files(), [])
})

test('receipts of merged customers are of who was kept', async () => {
  const shop = await aShop()
  const [ada, bob] = [await shop.customer('ada@example.com'), await shop.customer('bob@example.com')]
  const [decided, waiting] = [accepted(await shop.send(ada)), accepted(await shop.send(ada))]
  await shop.approve(decided.id)
  await service.admin('POST', `${shop.store.at}/sandbox/merges`, { customer: ada, into: bob })
  await shop.settle()
  await shop.approve(waiting.id)
  assert.deepEqual(await shop.points(bob), [58, 0, 58])
  await shop.refuse(decided.id)
  assert.deepEqual(await shop.points(bob), [29, 0, 29])
  assert.deepEqual((await shop.list(`?customer=${bob}`)).length, 2)
  await shop.store.soundBooks()
})

test('a form that a theme sends through the platform arrives as it is', async () => {
  const shop = await aShop()
  const ada = await shop.customer('ada@example.com')
  const at = `${service.urls.sandbox}/${shop.store.domain}`
  const login = await fetch(`${at}/session`, {
    method: 'POST',
    body: new URLSearchParams({ customer: ada }),
    redirect: 'manual'
  })
  const cookie = login.headers.getSetCookie()[0]!.split(';')[0]!
  const form = new FormData()
  const bytes = Buffer.concat([aJpeg('Film'), Buffer.alloc(5 * 1024 * 1024 - 100, 7)])
  const fields = { rule_id: String(shop.ruleId), retailer: 'Café', amount: '10', purchased_on: '2026-01-31' }
  for (const [name, value] of Object.entries(fields)) form.append(name, value)
  form.append('file', new Blob([bytes]), 'IMG 1.jpg')
  const response = await fetch(`${at}/apps/svc-api/v1/loyalty/receipts`, {
    method: 'POST',
    body: form,
    headers: { cookie }
  })
  const { id, retailer } = accepted({ status: response.status, body: await response.json() })
  assert.equal(retailer, 'Café')
  const file = await shop.file(id)
  assert.ok(Buffer.from(await file.arrayBuffer()).equals(bytes))
})

test('the command line lists, downloads, approves and refuses receipts', async () => {
  const shop = await aShop()
  const ada = await shop.customer('ada@example.com')
  const bytes = aPng('By hand')
  const { id } = accepted(await shop.send(ada, { file: bytes }))
  const { json, run } = commandLine(service)
  const receipt = (verb: string, ...more: string[]) => ['loyalty', 'receipt', verb, '--store', shop.store.id, ...more]
  const of = ['--id', String(id)]
  const { data } = await json(...receipt('list', '--status', 'waiting', '--customer', 'ada@example.com'))
  assert.deepEqual(
    data.map((one: any) => one.id),
    [id]
  )
  const folder = await mkdtemp(join(tmpdir(), 'perennial-receipt-'))
  after(() => rm(folder, { recursive: true }))
  const to = join(folder, 'receipt.png')
  assert.deepEqual(await json(...receipt('download', ...of, '--to', to)), { file: to })
  assert.deepEqual(await readFile(to), bytes)
  const again = await run(receipt('download', ...of, '--to', to))
  assert.deepEqual([again.code > 0, /is there already/.test(again.err)], [true, true])
  assert.equal((await json(...receipt('approve', ...of, '--amount', '12.00'))).points, 12)
  assert.equal((await json(...receipt('refuse', ...of, '--reason', 'A copy'))).reason, 'A copy')
  const wrong = await run(receipt('approve', ...of, '--amount', '0'))
  assert.match(wrong.err, /--amount must be an amount above 0/)
})
