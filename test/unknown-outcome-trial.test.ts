import { test } from 'node:test'
import { outcomeUnknown } from '../trials/unknown-outcome.ts'
import { testDatabase } from './database.ts'

// A short run; `npm run trials` is the long one.
test('charges whose outcome is unknown for a day stay pending with their key, and each is made once', async () => {
  const { db } = await testDatabase()
  await outcomeUnknown({ db, subscriptions: 60, seed: 7 })
})
