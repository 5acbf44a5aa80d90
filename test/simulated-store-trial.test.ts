import { test } from 'node:test'
import { simulateStore } from '../trials/simulated-store.ts'
import { testDatabase } from './database.ts'

// A short run; `npm run trials` has the long one.
test('after two months of a store, its ledger, kinds of orders, first dates and tags are what the platform’s records say', async () => {
  const { url } = await testDatabase()
  await simulateStore({ databaseUrl: url, members: 15, months: 2, isShuffled: false, seed: 4 })
})
