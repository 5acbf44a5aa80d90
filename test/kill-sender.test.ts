import { test } from 'node:test'
import { killSender } from '../trials/kill-sender.ts'
import { testDatabase } from './database.ts'

// A short run; `npm run trials` is the long one.
test('after a SIGKILL of the sender, each event is delivered in order under one webhook_id', async () => {
  const { url } = await testDatabase()
  await killSender({ databaseUrl: url, events: 400, kills: 4, seed: 7 })
})
