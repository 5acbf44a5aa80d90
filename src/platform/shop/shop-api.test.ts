import assert from 'node:assert/strict'
import { test } from 'node:test'
import { aPlatform, data, shop, theValue } from '../../../test/fake-platform.ts'

test('calls the path of the API version, with the token in the header of the profile', async () => {
  const { connector, requests } = await aPlatform((res) => data(res, shop))
  assert.deepEqual(theValue(await connector.shop.read()), {
    name: 'Acme',
    domain: 'acme.example',
    timezone: 'America/New_York',
    currency: 'USD'
  })
  assert.equal(requests[0]!.path, '/base/admin/api/2026-07/graphql.json')
  assert.equal(requests[0]!.headers['x-platform-access-token'], 'token-1')
})
