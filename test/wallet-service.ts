// A service with servers in the place of Apple's and Google's, and stores with wallets, for the tests of a file.
import assert from 'node:assert/strict'
import { platformAccess } from '#stores'
import { signedQuery } from '../src/http/storefront/signed.test-helper.ts'
import { adminOf } from './admin-calls.ts'
import { testDatabase } from './database.ts'
import { startService } from './service-builder.ts'
import { testVault } from './store-builder.ts'
import { aGoogleServer, aPushServer, appleCertificates, googleAccount, openPass, PASS_TYPE } from './wallet-things.ts'

export const apple = appleCertificates()
export const google = googleAccount()
export const apns = await aPushServer(apple.wwdr)
export const googleServer = await aGoogleServer()
const { url } = await testDatabase()
export const service = await startService(url, { walletUrls: { apns, google: googleServer.urls } })
export const { call } = adminOf(service)
export const { certificate, key, wwdr } = apple
const PUSH_TOKEN = 'ab'.repeat(32)

/** A store with wallets and the member Ada. */
export async function aWalletStore({
  setUp = true,
  account = google.file,
  firstName = 'Ada',
  lastName = 'Lovelace'
} = {}) {
  const store = await service.aStore()
  const ada = await service.admin('POST', `${store.at}/sandbox/customers`, {
    email: 'ada@example.com',
    first_name: firstName,
    last_name: lastName
  })
  await service.admin('POST', `${store.at}/sandbox/joins`, { customer: ada.id, plan: 'VIP' })
  const settle = () => service.deps.settle(store.storeId)
  await settle()
  const wallet = (method: string, path: string, body?: object) => call(store, method, `/wallet${path}`, body)
  if (setUp) {
    assert.equal((await wallet('POST', '/apple', { certificate, key, wwdr })).status, 200)
    const given = { issuer_id: '338812', service_account: account }
    assert.equal((await wallet('POST', '/google', given)).status, 200)
    await call(store, 'PATCH', '/storefront-settings/svc_wallet_pass_settings', { value: { wallet_pass_enabled: 1 } })
    await settle()
  }
  const { proxySecret } = await platformAccess(service.db, testVault, store.storeId)
  const signer = { domain: store.domain, credentials: { accessToken: '', appSecret: '', proxySecret } }
  /** Of a customer who is logged in. */
  const get = (which: string, customerId: string) =>
    fetch(`${service.url}/apps/svc-api/v1/wallet/${which}?${signedQuery(signer, {}, { customerId })}`)
  const passOf = async (customerId: string) => {
    const answer = await get('apple', customerId)
    assert.equal(answer.status, 200, await answer.clone().text())
    return openPass(new Uint8Array(await answer.arrayBuffer()))
  }
  /** The web service for the phone that has a pass. */
  const phone = (pass: any, device: string) => {
    const at = `${pass.webServiceURL}/v1`
    const headers = { authorization: `ApplePass ${pass.authenticationToken}`, 'content-type': 'application/json' }
    const place = `${at}/devices/${device}/registrations/${PASS_TYPE}`
    return {
      register: (pushToken = PUSH_TOKEN) =>
        fetch(`${place}/${pass.serialNumber}`, { method: 'POST', headers, body: JSON.stringify({ pushToken }) }),
      unregister: () =>
        fetch(`${place}/${pass.serialNumber}`, { method: 'DELETE', headers: { authorization: headers.authorization } }),
      updated: (since?: string) => fetch(`${place}${since === undefined ? '' : `?passesUpdatedSince=${since}`}`),
      latest: (more: Record<string, string> = {}) =>
        fetch(`${at}/passes/${PASS_TYPE}/${pass.serialNumber}`, {
          headers: { authorization: headers.authorization, ...more }
        }),
      log: (logs: unknown) =>
        fetch(`${at}/log`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ logs })
        })
    }
  }
  const addCredit = async (customerId: string, amount: number) => {
    const done = await service.post(
      `/store-credits/${customerId}/add`,
      store.key,
      { amount, reason: 'Test' },
      { 'idempotency-key': `${customerId}-${amount}` }
    )
    assert.equal(done.status, 200)
    await settle()
  }
  return { store, ada: ada.id as string, settle, wallet, get, passOf, phone, addCredit }
}

export const fieldsOf = (pass: any): Record<string, unknown> =>
  Object.fromEntries(
    Object.values(pass.storeCard as Record<string, any[]>)
      .flat()
      .map(({ key: name, value }) => [name, value])
  )

export const pushedTo = (token: string) => apns.pushed.filter((one) => one.token === token).length
