import { test } from 'node:test'
import { killSender } from '../trials/kill-sender.ts'
import { testDatabase } from './database.ts'

// The slice that every run takes; `npm run trials` is the long one.
test('kill -9 of the sender loses nothing: each event ends delivered, in order, under one webhook_id', async () => {
  const { url } = await testDatabase()
  await killSender({ databaseUrl: url, events: 400, kills: 4, seed: 7 })
})
