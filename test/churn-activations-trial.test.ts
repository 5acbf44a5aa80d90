import { test } from 'node:test'
import { activateAtOnce } from '../trials/churn-activations.ts'
import { testDatabase } from './database.ts'

// Short runs; `npm run trials` has the long ones.
for (const [name, lost] of [
  ['one offer of each contract wins', 0],
  ['also while answers of the platform are lost', 0.1]
] as const) {
  test(`of many activations at once ${name}`, async () => {
    const { db, url } = await testDatabase()
    await activateAtOnce({ databaseUrl: url, db, contracts: 6, lost, seed: 7 })
  })
}
