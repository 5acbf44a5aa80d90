import { test } from 'node:test'
import { searchSlowly } from '../trials/slow-searches.ts'
import { testDatabase } from './database.ts'

// A short run; `npm run trials` is the long one.
test('charges whose searches take longer than a claim are searched for by one process, sent once and hold up no others', async () => {
  const { db } = await testDatabase()
  await searchSlowly({ db, seed: 7, subscriptions: 60, maxCallMs: 1_200, searchMs: 4_000 })
})
