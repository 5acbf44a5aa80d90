import { test } from 'node:test'
import { hangMessages } from '../trials/hanging-messages.ts'
import { testDatabase } from './database.ts'

// A short run; `npm run trials` is the long one.
test('messages of the platform that hang hold up no others, are handled once and keep the order of their contract', async () => {
  const { db } = await testDatabase()
  await hangMessages({ db, seed: 7, messages: 100, leaseMs: 2_000, hangMs: 5_000 })
})
