// Work that requests make begins at once: it is reported, so nobody waits for the poll.
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { addPlanVersion } from './add-plan-version.ts'
import { testDatabase } from './database.ts'
import { startService } from './service-builder.ts'
import { until } from './until.ts'

const { url } = await testDatabase()
const service = await startService(url, { background: true, pollMs: 3_600_000 })
/** Longer than what the requests before have set going. */
const QUIET_MS = 2_500

suite('begins at once', { concurrency: true }, () => {
  test('who joins on the storefront page of the sandbox becomes a member', async () => {
    const store = await service.aStore()
    await setTimeout(QUIET_MS)
    const origin = service.urls.sandbox
    const send = (path: string, fields: Record<string, string>, cookie = '') =>
      fetch(`${origin}/${store.domain}${path}`, {
        method: 'POST',
        redirect: 'manual',
        headers: { origin, cookie },
        body: new URLSearchParams(fields)
      })
    const session = await send('/session', { email: 'ada@example.com' })
    const cookie = session.headers.getSetCookie().map((line) => line.split(';')[0])
    await setTimeout(QUIET_MS)
    const joined = await send('/join', { plan: 'VIP' }, cookie.join('; '))
    assert.ok(joined.status < 400, `${joined.status} ${await joined.text()}`)
    await until(
      'the member',
      async () => (await service.get('/members?status=active', store.key)).body.data?.length === 1
    )
  })

  test('a plan version for those who have joined is brought to their contracts', async () => {
    const store = await service.aStore()
    await store.member('grace@example.com')
    await until(
      'the member',
      async () => (await service.get('/members?status=active', store.key)).body.data?.length === 1
    )
    await setTimeout(QUIET_MS)
    const [plan] = (await service.admin('GET', `${store.at}/plans`)).data
    await addPlanVersion(service, `${store.at}/plans/${plan.id}`, { price: '35.00', apply_to: 'running' })
    const client = service.client(store.key)
    await until('the new price', async () => (await client.subscriptions.list()).data[0]!.price === 35)
  })
})
