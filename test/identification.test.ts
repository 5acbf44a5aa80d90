// Customers who are not logged in are identified by a mailed code: through the sandbox's proxy, and its mail page.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { JobOutcome } from '#kit/jobs'
import { createSmtp } from '#kit/mail'
import { int, row, sql, text } from '#kit/postgres'
import { Secret } from '#kit/secrets'
import { sendCodeJob } from '../src/identification/send-code-job.ts'
import { adminOf } from './admin-calls.ts'
import { testDatabase } from './database.ts'
import { startService } from './service-builder.ts'
import { type ReceivedMail, startSmtpServer } from './smtp-server.ts'

const { url } = await testDatabase()
const service = await startService(url)
const { call } = adminOf(service)
const { db } = service
const NOBODY = '0'.repeat(32)

/** A store whose customers can be identified, and what a theme's script sends through the proxy. */
async function aShop({ setting = 'svc_otp', field = 'otp_enabled' } = {}) {
  const store = await service.aStore({ name: 'Ada & Bob’s' })
  const set = (value: 0 | 1) => call(store, 'PATCH', `/storefront-settings/${setting}`, { value: { [field]: value } })
  assert.equal((await set(1)).status, 200)
  const at = `${service.urls.sandbox}/${store.domain}`
  const post = async (path: string, body: object) => {
    const response = await fetch(`${at}/apps/svc-api/v1/identification${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body)
    })
    return { status: response.status, body: (await response.json()) as any, headers: response.headers }
  }
  const ask = async (email: string) => {
    const { status, body } = await post('/codes', { email })
    assert.equal(status, 200, JSON.stringify(body))
    await service.deps.settle(store.storeId)
    return body.identification_id as string
  }
  const mails = (): Promise<{ to: string; subject: string; text: string; html: string }[]> =>
    db.inInstallation((tx) =>
      tx.many(
        row({ to: text, subject: text, text, html: text }),
        sql`select sent_to as to, subject, content_text as text, content_html as html
              from sandbox.mails where store_id = ${store.storeId} order by id`
      )
    )
  const codeOf = async () => /Your code: ([0-9]{6})\n/.exec((await mails()).at(-1)!.text)![1]!
  const exchange = (identification_id: string, code: string) => post('/tokens', { identification_id, code })
  const tokenOf = async (email: string) => {
    const { body } = await exchange(await ask(email), await codeOf())
    return body.token as string
  }
  const alerts = async () => (await call(store, 'GET', '/alerts')).body.data.map((one: any) => one.message)
  return { ...store, at, atStore: store.at, post, ask, mails, codeOf, exchange, tokenOf, set, alerts }
}

const REFUSED = 'code is wrong, was used, has expired, or was tried too often: ask for a new one'
const another = (code: string) => String((Number(code) + 1) % 1_000_000).padStart(6, '0')

test('a code that was mailed is exchanged for a token, which shows what the customer pays and can spend, and nothing else', async () => {
  const shop = await aShop()
  const { customer } = await shop.member('ada@example.com')
  await service.admin(
    'PATCH',
    `${shop.atStore}/plans/${(await service.admin('GET', `${shop.atStore}/plans`)).data[0].id}`,
    {
      perks: { discount: { value: 20, type: 'percentage', applies_to: 'all' } }
    }
  )
  await service.deps.settle(shop.storeId)
  await service.post(`/store-credits/${customer.id}/add`, shop.key, { amount: 12.5, reason: 'Sorry' })
  const id = await shop.ask('  ADA@Example.com ')
  const [mail, ...others] = await shop.mails()
  assert.deepEqual(others, [])
  const code = await shop.codeOf()
  assert.equal(mail!.to, 'ada@example.com')
  assert.equal(mail!.subject, `${code} is your code for Ada & Bob’s`)
  assert.match(mail!.html, new RegExp(`in the shop Ada &#38; Bob’s\\.(.|\\n)*>${code}</p>`))

  const { status, body } = await shop.exchange(id, code)
  assert.equal(status, 200)
  assert.deepEqual(Object.keys(body), ['token', 'expires_at'])
  assert.equal(body.expires_at, '2026-01-31T15:30:00.000Z')
  const cart = { lines: [{ product_id: '1', quantity: 2, price: '10.00' }] }
  const shown = await shop.post('/benefits', { token: body.token, cart })
  assert.deepEqual(shown.body, {
    tier: 'vip',
    currency: 'USD',
    store_credit: '12.50',
    lines: [{ id: '1', price: '10.00', member_price: '8.00', discount: '4.00', total: '16.00' }]
  })
  assert.deepEqual((await shop.post('/benefits', { token: body.token })).body.lines, [])
  const broken = await shop.post('/benefits', { token: body.token, cart: { lines: [{ product_id: '1' }] } })
  assert.equal(broken.status, 422)
  assert.match(broken.body.message, /^cart\.lines\[0\]\.price must be/)
  // A code is good for one token.
  const again = await shop.exchange(id, code)
  assert.deepEqual([again.status, again.body.message], [422, REFUSED])
  // Neither the database nor a queue has the code.
  const { stored } = await db.inInstallation((tx) =>
    tx.one(
      row({ stored: text }),
      sql`select coalesce(string_agg(c::text, ''), '') || coalesce((select string_agg(j::text, '') from jobs j where j.store_id = ${shop.storeId}), '') as stored
            from identification_codes c where c.store_id = ${shop.storeId}`
    )
  )
  assert.ok(!stored.includes(code))
})

test('softlogin offers it too; where both are off it is refused, and so is a token from before', async () => {
  const shop = await aShop({ setting: 'softlogin', field: 'enabled' })
  await shop.member('ada@example.com')
  const token = await shop.tokenOf('ada@example.com')
  await shop.set(0)
  for (const [path, body] of [
    ['/codes', { email: 'ada@example.com' }],
    ['/tokens', { identification_id: NOBODY, code: '123456' }],
    ['/benefits', { token }]
  ] as const) {
    const { status, body: answer } = await shop.post(path, body)
    assert.equal(status, 403)
    assert.match(answer.message, /svc_otp and softlogin are off/)
  }
})

test('nobody learns from an answer whether an address is known, and nobody gets mail for one that is not', async () => {
  const shop = await aShop()
  await shop.customer('ada@example.com')
  const [known, unknown] = [
    await shop.post('/codes', { email: 'ada@example.com' }),
    await shop.post('/codes', { email: 'bob@example.com' })
  ]
  await service.deps.settle(shop.storeId)
  const shape = ({ status, body, headers }: typeof known) => [
    status,
    Object.entries(body).map(([name, value]) => [name, name === 'expires_at' ? value : String(value).length]),
    [...headers.keys()].filter((name) => name !== 'date').sort()
  ]
  assert.deepEqual(shape(unknown), shape(known))
  assert.deepEqual(
    (await shop.mails()).map((mail: { to: string }) => mail.to),
    ['ada@example.com']
  )
  // The right code of an address that nobody has is as wrong as any.
  const ids = [unknown.body.identification_id, known.body.identification_id, NOBODY]
  const answers = []
  for (const id of ids) answers.push((await shop.exchange(id, another(await shop.codeOf()))).body)
  assert.deepEqual(answers, Array(3).fill({ message: REFUSED, errors: { code: [REFUSED.slice('code '.length)] } }))
})

test('after ten minutes a code is over, after thirty a token', async () => {
  const shop = await aShop()
  await shop.member('ada@example.com')
  const [id, code] = [await shop.ask('ada@example.com'), await shop.codeOf()]
  await shop.advance({ by: 'PT10M' })
  assert.equal((await shop.exchange(id, code)).status, 422)
  const token = await shop.tokenOf('ada@example.com')
  await shop.advance({ by: 'PT29M59S' })
  assert.equal((await shop.post('/benefits', { token })).status, 200)
  await shop.advance({ by: 'PT1S' })
  const over = await shop.post('/benefits', { token })
  assert.equal(over.status, 401)
  assert.match(over.body.message, /30 minutes are over/)
})

test('five tries and no more, also at once; a new code of the same address is another one', async () => {
  const shop = await aShop()
  await shop.member('ada@example.com')
  const [first, code] = [await shop.ask('ada@example.com'), await shop.codeOf()]
  const tries = await Promise.all(Array.from({ length: 6 }, () => shop.exchange(first, another(code))))
  assert.deepEqual(
    tries.map(({ status }) => status),
    Array(6).fill(422)
  )
  const { tries: counted } = await db.inStore(shop.storeId, ({ tx }) =>
    tx.one(
      row({ tries: int }),
      sql`select tries from identification_codes where store_id = ${shop.storeId} and id = ${first}`
    )
  )
  assert.equal(counted, 5)
  assert.equal((await shop.exchange(first, code)).status, 422)
  const second = await shop.ask('ada@example.com')
  assert.notEqual(await shop.codeOf(), code)
  assert.equal((await shop.exchange(second, await shop.codeOf())).status, 200)
})

test('of two who exchange a code at once one has a token', async () => {
  const shop = await aShop()
  await shop.member('ada@example.com')
  const [id, code] = [await shop.ask('ada@example.com'), await shop.codeOf()]
  const both = await Promise.all([shop.exchange(id, code), shop.exchange(id, code)])
  assert.deepEqual(both.map(({ status }) => status).sort(), [200, 422])
})

test('a token is good in its shop only, whole, and not for whom it did not name', async () => {
  const [mine, theirs] = [await aShop(), await aShop()]
  await mine.member('ada@example.com')
  await theirs.member('ada@example.com')
  const token = await mine.tokenOf('ada@example.com')
  const [said, signature] = token.split('.') as [string, string]
  const other = Buffer.from(JSON.stringify({ ...JSON.parse(Buffer.from(said, 'base64url').toString()), c: 1 }))
  for (const bad of [
    `${other.toString('base64url')}.${signature}`,
    `${said}.${signature.slice(0, -2)}`,
    `${token}.x`,
    said,
    'x'
  ]) {
    assert.equal((await mine.post('/benefits', { token: bad })).status, 401, bad)
  }
  assert.equal((await theirs.post('/benefits', { token })).status, 401)
  assert.equal((await mine.post('/benefits', { token })).status, 200)
})

test('a token shows nothing of somebody who was erased or merged since, and is no login', async () => {
  const shop = await aShop()
  const { customer, contract_id } = await shop.member('ada@example.com')
  const token = await shop.tokenOf('ada@example.com')
  const cancelled = await fetch(`${shop.at}/apps/svc-api/v1/membership/churn/${contract_id}/cancellation`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}`, cookie: `token=${token}` },
    body: JSON.stringify({ reason: 'other' })
  })
  assert.equal(cancelled.status, 403)
  const { id } = await shop.customer('bob@example.com')
  await service.deps.settle(shop.storeId)
  await service.admin('POST', `${shop.atStore}/sandbox/merges`, { customer: customer.id, into: id })
  await service.deps.settle(shop.storeId)
  assert.equal((await shop.post('/benefits', { token })).status, 401)

  const bob = await shop.tokenOf('bob@example.com')
  assert.equal((await shop.post('/benefits', { token: bob })).status, 200)
  const ofBob = () =>
    db.inStore(shop.storeId, ({ tx }) =>
      tx.one(
        row({ count: int }),
        sql`
        select count(*) as count from identification_codes c
         where c.store_id = ${shop.storeId} and c.member_id is not null`
      )
    )
  assert.equal((await ofBob()).count, 2)
  const erasure = { topic: 'customers/redact', customer: id, end_subscriptions: true }
  await service.admin('POST', `${shop.atStore}/privacy`, erasure)
  await service.deps.settle(shop.storeId)
  assert.equal((await shop.post('/benefits', { token: bob })).status, 401)
  assert.equal((await ofBob()).count, 0)
})

test('one address gets three codes a minute, known or not, and says when again; others do not notice', async () => {
  const shop = await aShop()
  await shop.customer('ada@example.com')
  for (const email of ['ada@example.com', 'nobody@example.com']) {
    const answers = []
    for (let n = 0; n < 4; n++) answers.push(await shop.post('/codes', { email: n % 2 ? email.toUpperCase() : email }))
    // The window may end in between.
    const refused = answers.find(({ status }) => status === 429)
    if (!refused) continue
    assert.equal(refused.body.message, 'Too many codes: the limit is 3 per minute')
    assert.ok(Number(refused.headers.get('retry-after')) >= 1)
    assert.equal(refused.headers.get('x-ratelimit-limit'), '3')
  }
  const { buckets } = await db.inInstallation((tx) =>
    tx.one(
      row({ buckets: text }),
      sql`select string_agg(bucket, ' ') as buckets from rate_windows where store_id = ${shop.storeId}`
    )
  )
  assert.doesNotMatch(buckets, /@|ada/)
})

test('one caller may try ten times a minute, whatever they name', async () => {
  const shop = await aShop()
  const statuses = []
  for (let n = 0; n < 25; n++) statuses.push((await shop.exchange(NOBODY, '123456')).status)
  assert.ok(statuses.filter((status) => status === 429).length >= 5, statuses.join())
})

test('what the proxy did not sign is refused, and fields are named', async () => {
  const shop = await aShop()
  const response = await fetch(`${service.urls.public}/apps/svc-api/v1/identification/codes?shop=${shop.domain}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email: 'ada@example.com' })
  })
  assert.equal(response.status, 401)
  for (const [path, body, message] of [
    ['/codes', { email: 'ada' }, 'email must be an e-mail address of at most 320 characters'],
    ['/codes', { email: 'a@b, c@d' }, 'email must be an e-mail address of at most 320 characters'],
    ['/tokens', { identification_id: NOBODY, code: '12345' }, 'code must be a text of 6 digits']
  ] as const) {
    const refused = await shop.post(path, body)
    assert.deepEqual([refused.status, refused.body.message], [422, message])
  }
})

/** The job alone, which sends by a real mail server. */
async function aMailedCode() {
  const shop = await aShop()
  await shop.customer('ada@example.com')
  const server = await startSmtpServer()
  const send = createSmtp({ url: new Secret(server.url), from: 'shops@example.com' })
  const { body } = await shop.post('/codes', { email: 'ada@example.com' })
  const run = async (attempts: number): Promise<JobOutcome> => {
    const job = { input: { id: body.identification_id }, attempts, renewLease: async () => {} }
    const [outcome] = await sendCodeJob.run(
      { db, sendMail: (_store: number, mail: any) => send(mail) } as any,
      shop.storeId,
      [job]
    )
    return outcome!
  }
  return { ...shop, server, run }
}

test('a mail that fails is tried again with the same code, and after three tries an alert says so, without the address', async () => {
  const { server, run, alerts } = await aMailedCode()
  server.state.fault = { at: 'RCPT', say: '451 later' }
  for (const attempts of [1, 2]) {
    assert.deepEqual(await run(attempts), { done: false, reason: 'The mail server answered 451 to RCPT TO' })
  }
  assert.deepEqual(await alerts(), [])
  assert.deepEqual(await run(3), { done: true })
  const [alert] = await alerts()
  assert.match(alert, /did not get it: The mail server answered 451 to RCPT TO\. See SMTP_URL/)
  assert.doesNotMatch(alert, /ada@/)
  server.state.fault = null
  await run(1)
  await run(1)
  const codes = server.received.map((mail: ReceivedMail) => /Your code: ([0-9]{6})/.exec(mail.data)![1])
  assert.equal(codes.length, 2)
  assert.equal(codes[0], codes[1])
})

test('a mail that is refused for good is not tried again; one whose code is over is not sent', async () => {
  const { server, run, alerts, advance } = await aMailedCode()
  server.state.fault = { at: 'RCPT', say: '550 nobody' }
  assert.deepEqual(await run(1), { done: true })
  assert.equal((await alerts()).length, 1)
  server.state.fault = null
  await advance({ by: 'PT10M' })
  assert.deepEqual(await run(1), { done: true })
  assert.deepEqual(server.received, [])
})

test('expired codes are removed by later requests', async () => {
  const shop = await aShop()
  await shop.ask('ada@example.com')
  await shop.advance({ by: 'PT70M' })
  await shop.advance({ by: 'PT1S' })
  await shop.ask('ada@example.com')
  const { count } = await db.inStore(shop.storeId, ({ tx }) =>
    tx.one(
      row({ count: int }),
      sql`select count(*) as count from identification_codes where store_id = ${shop.storeId}`
    )
  )
  assert.equal(count, 1)
})

test('the page of the sandbox shows the mail, and its HTML apart', async () => {
  const shop = await aShop()
  const page = async (path: string) => {
    const response = await fetch(`${shop.at}${path}`)
    return {
      status: response.status,
      text: await response.text(),
      policy: response.headers.get('content-security-policy')
    }
  }
  assert.match((await page('/mail')).text, /No mail was sent yet/)
  await shop.customer('ada@example.com')
  await shop.ask('ada@example.com')
  const { text } = await page('/mail')
  assert.match(text, new RegExp(`${await shop.codeOf()} is your code for Ada &amp; Bob’s`))
  const link = /href="[^"]*(\/mail\/[0-9]+)"/.exec(text)![1]!
  const mail = await page(link)
  assert.equal(mail.status, 200)
  assert.match(mail.policy!, /default-src 'none'.*sandbox/)
  assert.equal((await page('/mail/999999')).status, 404)
  const other = await aShop()
  assert.equal((await fetch(`${other.at}${link}`)).status, 404)
})
