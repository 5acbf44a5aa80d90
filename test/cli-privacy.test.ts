// The privacy commands, each as a process against the running service.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { commandLine } from './command-line.ts'
import { testDatabase } from './database.ts'
import { startService } from './service-builder.ts'

const { url } = await testDatabase()
const service = await startService(url)
const { run, json } = commandLine(service)

test('what is held about a customer is printed as a file, and erased on request', async () => {
  const store = await service.aStore()
  const of = ['--store', store.domain]
  const email = 'ada.amber@example.com'
  await store.member(email)
  await service.deps.settle(store.storeId)
  assert.equal((await run(['privacy', 'list', ...of])).out, 'There are no privacy requests.\n')

  const asked = await json('privacy', 'run', ...of, '--export', '--customer', email)
  assert.deepEqual([asked.topic, asked.status], ['customers/data_request', 'ready'])
  const file = JSON.parse((await run(['privacy', 'export', asked.id, ...of])).out)
  assert.equal(file.held.members[0].email, email)
  assert.equal((await json('privacy', 'show', asked.id, ...of)).status, 'done')

  assert.equal(asked.customers_found, 1)

  const mistyped = await run(['privacy', 'run', ...of, '--export', '--customer', `x${email}`])
  assert.match(mistyped.out, /No customer of the store is named by this: .* Is it typed correctly\?/)

  const refused = await run(['privacy', 'run', ...of, '--erase', '--customer', email])
  assert.notEqual(refused.code, 0)
  assert.match(refused.err, /1 running subscription/)
  for (const flags of [[], ['--erase', '--export', '--customer', email], ['--erase']]) {
    assert.notEqual((await run(['privacy', 'run', ...of, ...flags])).code, 0)
  }
  const shown = await run(['privacy', 'run', ...of, '--erase', '--customer', email, '--end-subscriptions'])
  assert.match(shown.out, /How far it is: perennial privacy show priv_3 --store /)
  await store.advance({ by: 'PT1H' })
  const { data } = await json('privacy', 'list', ...of)
  assert.deepEqual(
    data.map(({ id, status, source }: any) => [id, status, source]),
    [
      ['priv_3', 'done', 'operator'],
      ['priv_2', 'ready', 'operator'],
      ['priv_1', 'done', 'operator']
    ]
  )
  assert.match((await run(['privacy', 'export', asked.id, ...of])).err, /is no longer kept/)
})
