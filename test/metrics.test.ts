import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testDatabase } from './database.ts'
import { aReceiver } from './receiver.ts'
import { startService } from './service-builder.ts'

const { url } = await testDatabase()
const service = await startService(url)

test('/metrics has requests, engines, platform calls, webhook tries, queues and the process, without ids', async () => {
  const store = await service.aStore()
  const receiver = await aReceiver()
  receiver.secret = (await service.admin('POST', `${store.at}/webhooks`, { url: receiver.url })).secret
  await store.member('ada@example.com')
  await store.advance({ by: 'P1M' })
  await service.get('/members/mem_1', store.key)

  const text = await (await fetch(`${service.urls.public}/metrics`)).text()
  const value = (series: string) => {
    const line = text.split('\n').find((candidate) => candidate.startsWith(series))
    assert.ok(line, `no ${series} in\n${text}`)
    return Number(line.split(' ')[1])
  }
  const request = 'http_request_method="GET",http_route="/v1/members/:member_id",http_response_status_code="200"'
  assert.equal(value(`http_server_request_duration_seconds_count{${request}`), 1)
  assert.ok(value(`perennial_engine_items_total{engine="billing"`) >= 1)
  assert.ok(value(`perennial_platform_calls_total{operation="billing.createAttempts",outcome="ok"`) >= 1)
  assert.equal(value(`perennial_webhook_try_duration_seconds_count{outcome="delivered"`), receiver.received.length)
  for (const queue of ['events', 'jobs', 'inbound_webhooks', 'webhook_deliveries', 'billing_attempts']) {
    assert.equal(value(`perennial_queue_depth{queue="${queue}"`), 0, queue)
  }
  for (const metric of [
    'process_memory_usage_bytes',
    'v8js_memory_heap_used_bytes',
    'process_cpu_time_seconds_total'
  ]) {
    assert.ok(value(metric) > 0, metric)
  }
  assert.ok(!/mem_1|shop-|127\.0\.0\.1|@example/.test(text))
})
