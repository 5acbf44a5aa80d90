import { test } from 'node:test'
import { leadAstray } from '../trials/hostile-addresses.ts'
import { testDatabase } from './database.ts'

// A short run; `npm run trials` has all URLs.
test('no URL that is accepted or connected to leads to this machine or the network around it', async () => {
  const { db, url } = await testDatabase()
  await leadAstray({ databaseUrl: url, db, stride: 12, seed: 3 })
})
