// Wallet passes of people who are gone: deleted on the platform, or erased.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { int, nullable, row, sql, text } from '#kit/postgres'
import { aWalletStore, call, fieldsOf, googleServer, pushedTo, service } from './wallet-service.ts'
import { openPass } from './wallet-things.ts'

type WalletStore = Awaited<ReturnType<typeof aWalletStore>>

/** The member adds the pass to Google Wallet; this is what Google has of it. */
async function addToGoogle({ get, ada }: WalletStore) {
  const { save_url } = (await (await get('google', ada)).json()) as { save_url: string }
  const { payload } = JSON.parse(Buffer.from(save_url.split('.')[3]!, 'base64url').toString())
  const { id } = payload.genericObjects[0]
  const object = () => googleServer.objects.get(id)
  assert.match(JSON.stringify(object()), /Ada Lovelace.*mem_.*Store credit/)
  return { id, object }
}

/** Void, and nothing of the person is in it. */
function assertTellsNothing(object: any) {
  assert.equal(object.state, 'INACTIVE')
  // Its number is hexadecimal and made by chance: it may have "ada" in it.
  const { id: _, ...said } = object
  assert.doesNotMatch(JSON.stringify(said), /Ada|Lovelace|mem_|credit|since|barcode/i)
}

async function cancelAll({ store, ada, settle }: WalletStore) {
  const { body } = await service.get(`/subscriptions?customer_id=${ada}`, store.key)
  for (const { id } of body.data) await call(store, 'POST', `/subscriptions/${id}/cancel`, {})
  await settle()
}

for (const [what, ended] of [
  ['a running membership', false],
  ['a membership that has ended, whose pass the store keeps', true]
] as const)
  test(`the pass of a customer with ${what} is void once the platform has deleted them`, async () => {
    const one = await aWalletStore()
    const { store, passOf, phone, settle, ada } = one
    await call(store, 'PATCH', '/settings', { wallet: { ended: 'keep' } })
    const { pass } = await passOf(ada)
    assert.match(JSON.stringify(pass), /Ada Lovelace/)
    const ours = phone(pass, 'device1')
    const token = ended ? '1d'.repeat(32) : '2d'.repeat(32)
    await ours.register(token)
    const { object } = await addToGoogle(one)
    if (ended) await cancelAll(one)
    const { lastUpdated } = (await (await ours.updated()).json()) as { lastUpdated: string }
    const before = pushedTo(token)
    assert.equal(object().state, 'ACTIVE')

    await service.admin('POST', `${store.at}/sandbox/deletions`, { customer: ada })
    await settle()
    assert.ok(pushedTo(token) > before)
    assert.deepEqual(((await (await ours.updated(lastUpdated)).json()) as any).serialNumbers, [pass.serialNumber])
    const latest = openPass(new Uint8Array(await (await ours.latest()).arrayBuffer())).pass
    assert.deepEqual([latest.voided, fieldsOf(latest)], [true, { status: 'Ended', plan: 'Membership' }])
    assert.doesNotMatch(JSON.stringify(latest), /Ada|Lovelace|mem_/)
    assertTellsNothing(object())
    const { isVoided } = await service.db.inStore(store.storeId, ({ tx, storeId }) =>
      tx.one(row({ isVoided: int }), sql`select is_voided::int from wallet_passes where store_id = ${storeId}`)
    )
    assert.equal(isVoided, 1)
    assert.equal((await one.get('apple', ada)).status, 403)
  })

/** The one request about personal data of a store, and how many passes are left. */
const requestOf = ({ store }: WalletStore) =>
  service.db.inStore(store.storeId, ({ tx, storeId }) =>
    tx.one(
      row({ status: text, reason: nullable(text), passes: int }),
      sql`
      select status, reason, (select count(*) from wallet_passes where store_id = ${storeId}) as passes
        from privacy_requests where store_id = ${storeId}`
    )
  )

async function askToErase({ store, ada, settle }: WalletStore) {
  await service.sandbox.controls.sendCompliance({
    storeId: store.storeId,
    topic: 'customers/redact',
    customerId: ada
  })
  await settle()
}

test('an erasure takes the person off the pass at Google, and looks once more when its row is gone', async () => {
  const one = await aWalletStore()
  const { id, object } = await addToGoogle(one)
  const named = object()
  await askToErase(one)
  assert.deepEqual(await requestOf(one), { status: 'checking', reason: null, passes: 0 })
  assertTellsNothing(object())
  // A change that was on its way to Google when the erasure began.
  googleServer.objects.set(id, named)
  await one.store.advance({ by: 'PT1H' })
  assert.equal((await requestOf(one)).status, 'done')
  assertTellsNothing(object())
})

test('an erasure is not done while Google refuses, although its row is erased', async () => {
  const one = await aWalletStore()
  const { object } = await addToGoogle(one)
  googleServer.state.status = 503
  await askToErase(one)
  await one.store.advance({ by: 'PT1H' })
  const waiting = await requestOf(one)
  assert.deepEqual([waiting.status, waiting.passes], ['checking', 0])
  assert.match(waiting.reason!, /^Google still has the wallet pass of the customer: .*503/)
  googleServer.state.status = 200
  await one.store.advance({ by: 'PT1H' })
  assert.deepEqual(await requestOf(one), { status: 'done', reason: null, passes: 0 })
  assertTellsNothing(object())
})

test('an erasure does not wait for ever for a Google that refuses, and says what is left', async () => {
  const one = await aWalletStore()
  await addToGoogle(one)
  googleServer.state.status = 403
  await askToErase(one)
  await one.store.advance({ by: 'PT1H' })
  assert.equal((await requestOf(one)).status, 'checking')
  // Its three days are over in ten minutes.
  await service.db.inStore(one.store.storeId, ({ tx, storeId, now }) =>
    tx.run(sql`
      update privacy_requests set received_at = ${now.subtract({ hours: 72 }).add({ minutes: 10 })} where store_id = ${storeId}`)
  )
  await one.store.advance({ by: 'PT9M' })
  assert.equal((await requestOf(one)).status, 'checking')
  await one.store.advance({ by: 'PT1H' })
  const ended = await requestOf(one)
  assert.deepEqual([ended.status, ended.passes], ['done', 0])
  assert.match(ended.reason!, /^Google still has the wallet pass of the customer: .*403/)
  const { data: alerts } = (await call(one.store, 'GET', '/alerts')).body
  assert.match(alerts.find(({ kind }: any) => kind === 'erasure_incomplete').message, /Google still has .*403/)
  googleServer.state.status = 200
})

test('an erasure does not ask Google when the store has no credentials for it any more', async () => {
  const one = await aWalletStore()
  await addToGoogle(one)
  await one.wallet('DELETE', '/google')
  googleServer.asked.length = 0
  await askToErase(one)
  await one.store.advance({ by: 'PT1H' })
  assert.equal((await requestOf(one)).status, 'done')
  assert.deepEqual(googleServer.asked, [])
})
