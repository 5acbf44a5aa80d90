// Membership cards in Google Wallet: the link, and that Google has what the member sees.
import assert from 'node:assert/strict'
import { verify } from 'node:crypto'
import { test } from 'node:test'
import { aWalletStore, call, google, googleServer, service } from './wallet-service.ts'
import { googleAccount } from './wallet-things.ts'

const SAVE = 'https://pay.google.com/gp/v/save/'
/** What Google calls the safe length of a JWT in a link. */
const SAFE_LENGTH = 1_800

type WalletStore = Awaited<ReturnType<typeof aWalletStore>>

async function jwtOf({ get, ada }: Pick<WalletStore, 'get' | 'ada'>): Promise<string> {
  const answer = await get('google', ada)
  assert.equal(answer.status, 200, await answer.clone().text())
  const { save_url } = (await answer.json()) as { save_url: string }
  assert.ok(save_url.startsWith(SAVE))
  return save_url.slice(SAVE.length)
}

const claimsOf = (jwt: string) => JSON.parse(Buffer.from(jwt.split('.')[1]!, 'base64url').toString())

test('the link is a JWT of the service account that names the pass, which Google has by then and gets anew when something changes', async () => {
  const store = await aWalletStore()
  googleServer.asked.length = 0
  const jwt = await jwtOf(store)
  const [head, claims, signature] = jwt.split('.') as [string, string, string]
  assert.deepEqual(JSON.parse(Buffer.from(head, 'base64url').toString()), { alg: 'RS256', typ: 'JWT' })
  assert.ok(verify('sha256', Buffer.from(`${head}.${claims}`), google.publicKey, Buffer.from(signature, 'base64url')))
  const { iss, aud, typ, payload } = claimsOf(jwt)
  assert.deepEqual([iss, aud, typ], [google.email, 'google', 'savetowallet'])
  const [{ id }] = payload.genericObjects
  assert.deepEqual(payload, { genericObjects: [{ id, classId: '338812.membership' }] })
  const object = () => googleServer.objects.get(id)
  assert.deepEqual([object().state, object().subheader.defaultValue.value], ['ACTIVE', 'Ada Lovelace'])
  assert.ok(
    googleServer.asked.every(({ path, authorization }) => path === '/token' || authorization === 'Bearer google-token')
  )
  // Whoever presses the button again gets the same pass.
  assert.deepEqual(claimsOf(await jwtOf(store)).payload, payload)

  await store.addCredit(store.ada, 8)
  const { body } = object().textModulesData.find((row: any) => row.id === 'credit')
  assert.equal(body, '8 USD')
})

test('the link stays within the length that Google calls safe, whatever the pass shows and whoever signs it', async () => {
  const longest = googleAccount({ email: `${'a'.repeat(299)}@gserviceaccount.com`.padStart(320, 'b'), bits: 4_096 })
  assert.equal(longest.email.length, 320)
  const store = await aWalletStore({ account: longest.file, firstName: '名'.repeat(200), lastName: '字'.repeat(200) })
  const issuer = '9'.repeat(30)
  const set = await store.wallet('POST', '/google', { issuer_id: issuer, service_account: longest.file })
  assert.equal(set.status, 200, JSON.stringify(set.body))
  const look = { wallet: { organization: '店'.repeat(60) } }
  assert.equal((await call(store.store, 'PATCH', '/settings', look)).status, 200)
  const sale = { title: '売'.repeat(255), text: '値'.repeat(1_000) }
  assert.equal((await store.wallet('POST', '/campaigns', sale)).status, 200)
  await store.settle()
  const jwt = await jwtOf(store)
  assert.ok(jwt.length <= SAFE_LENGTH, `${jwt.length}`)
  // All of it is at Google.
  const [{ id }] = claimsOf(jwt).payload.genericObjects
  const { textModulesData, cardTitle } = googleServer.objects.get(id)
  assert.equal(cardTitle.defaultValue.value, look.wallet.organization)
  assert.equal(textModulesData.find((row: any) => row.id === 'campaign').body, sale.text)
  for (const account of [googleAccount({ bits: 5_120 }), googleAccount({ email: `${'é'.repeat(100)}@example.com` })]) {
    const refused = await store.wallet('POST', '/google', { issuer_id: '1', service_account: account.file })
    assert.equal(refused.status, 400)
  }
})

test('while Google does not take the pass there is no link; it is tried again, and becomes visible', async () => {
  const store = await aWalletStore()
  googleServer.state.status = 403
  const before = googleServer.objects.size
  const answer = await store.get('google', store.ada)
  assert.deepEqual([answer.status, /Google Wallet/.test(await answer.text())], [503, true])
  await store.store.advance({ by: 'P1D' })
  assert.equal((await store.wallet('GET', '')).body.problems, 1)
  googleServer.state.status = 200
  await store.addCredit(store.ada, 4)
  assert.deepEqual([(await store.wallet('GET', '')).body.problems, googleServer.objects.size], [0, before + 1])
  await jwtOf(store)
  await service.deps.settle(store.store.storeId)
})
