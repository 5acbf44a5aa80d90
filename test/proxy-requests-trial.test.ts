import { test } from 'node:test'
import { forgeProxyRequests } from '../trials/proxy-requests.ts'
import { testDatabase } from './database.ts'

// A short run; `npm run trials` is the long one.
test('what the app proxy did not sign as it is gets 401; what it signed acts in the signed shop alone', async () => {
  const { db, url } = await testDatabase()
  await forgeProxyRequests({ databaseUrl: url, db, requests: 600, seed: 7 })
})
