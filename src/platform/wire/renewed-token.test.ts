// A token that the platform refuses is replaced while a call is under way.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type ConnectorOptions, createConnectors, isUnreached } from '#platform'
import { aPlatform, data, json, shop, theFailure, theValue } from '../../../test/fake-platform.ts'

const refuse = (res: Parameters<typeof json>[0]) => json(res, { errors: '[API] Invalid API key or access token' }, 401)
const HEADER = 'x-platform-access-token'

/** A platform that takes this token only. */
const taking = (token: string) =>
  aPlatform((res, { headers, operation }) => {
    if (headers[HEADER] !== token) return refuse(res)
    if (operation === 'ShopInfo') return data(res, shop)
    return data(res, { tagsAdd: { node: { id: 'gid://platform/Customer/1', tags: ['VIP'] }, userErrors: [] } })
  })

function connectTo(url: string, renewToken: ConnectorOptions['renewToken']) {
  const reports: (string | null)[] = []
  const connectors = createConnectors({
    renewToken,
    timeoutMs: 1_000,
    throttleWaitMs: 500,
    onTokenRefused: async (_, message) => void reports.push(message),
    onTokenTaken: async () => void reports.push(null)
  })
  const access = { storeId: 7, profile: 'platform' as const, url, accessToken: 'old' }
  return { connectors, access, connector: connectors.to(access), reports }
}

test('a query and a change are sent once more with the renewed token, and nothing is reported', async () => {
  const { url, requests } = await taking('new')
  const asked: [number, string][] = []
  const { connector, reports } = connectTo(url, async (storeId, refused) => {
    asked.push([storeId, refused])
    return { token: 'new' }
  })
  assert.equal(theValue(await connector.shop.read()).name, 'Acme')
  const tagged = await connector.tags.add('customer', '1', ['VIP'])
  assert.ok(tagged.ok, JSON.stringify(tagged))
  assert.deepEqual(asked, [[7, 'old']])
  assert.deepEqual(
    requests.map(({ headers }) => headers[HEADER]),
    ['old', 'new', 'new']
  )
  assert.deepEqual(reports, [])
})

test('a renewed token that is refused too is not renewed again by that call, and is reported', async () => {
  const { url, requests } = await taking('none')
  let n = 0
  const { connector, reports } = connectTo(url, async () => ({ token: `new-${++n}` }))
  const failure = theFailure(await connector.shop.read())
  assert.equal(failure.kind, 'unauthorized')
  assert.equal(requests.length, 2)
  assert.deepEqual(reports, ['The platform answered 401 to the access token'])
})

test('without another token the refusal is the outcome', async () => {
  const { url, requests } = await taking('none')
  const { connector, reports } = connectTo(url, async () => null)
  assert.equal(theFailure(await connector.shop.read()).kind, 'unauthorized')
  assert.equal(requests.length, 1)
  assert.equal(reports.length, 1)
})

test('where a token may come later nothing was done, and no refusal is reported', async () => {
  const { url, requests } = await taking('none')
  for (const renew of [async () => ({ later: 'the endpoint is away' }), () => new Promise<null>(() => {})]) {
    const before = requests.length
    const { connector, reports } = connectTo(url, renew)
    const failure = theFailure(await connector.tags.add('customer', '1', ['VIP']))
    assert.deepEqual([failure.kind, failure.code], ['unavailable', 'token_not_refreshed'])
    assert.ok(isUnreached(failure))
    assert.equal(requests.length, before + 1)
    assert.deepEqual(reports, [])
  }
})

test('a scope that is missing renews nothing', async () => {
  const denied = { message: 'Access denied', extensions: { code: 'ACCESS_DENIED' } }
  const { url, requests } = await aPlatform((res) => json(res, { data: null, errors: [denied] }))
  const { connector } = connectTo(url, async () => assert.fail('renewed'))
  assert.equal(theFailure(await connector.shop.read()).code, 'access_denied')
  assert.equal(requests.length, 1)
})

test('credentials that are tried out are not replaced by stored ones', async () => {
  const { url } = await taking('new')
  const { connectors, access } = connectTo(url, async () => assert.fail('renewed'))
  assert.equal(theFailure(await connectors.tryOut(access).shop.read()).kind, 'unauthorized')
})
