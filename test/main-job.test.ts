import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testDatabase } from './database.ts'
import { startService } from './service-builder.ts'

const { url } = await testDatabase()
const service = await startService(url)

test('a customer joins and is billed each cycle: the API tells the story', async () => {
  const store = await service.aStore()
  const { contract_id } = await store.member('ada@example.com')
  const members = await service.get('/members', store.key)
  assert.equal(members.status, 200)
  assert.equal(members.body.meta.total, 1)
  assert.equal(members.body.data[0].status, 'active')
  console.log(JSON.stringify(members.body))
  const before = performance.now()
  console.log(await store.advance({ by: 'P1Y' }), performance.now() - before)
  const attempts = await service.get('/billing-attempts?limit=100', store.key)
  console.log(attempts.body.data.map((a: any) => [a.date, a.status, a.cycle_index]))
  console.log(JSON.stringify((await service.get('/subscriptions', store.key)).body))
  console.log(contract_id, await service.admin('POST', '/doctor', {}))
})
