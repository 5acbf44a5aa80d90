// The platform loses questions and answers, says 500 and 503, throttles and closes connections: no renewal is lost or doubled.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { request } from 'undici'
import { movePlatform } from '#stores'
import { beforeDrop, testDatabase } from './database.ts'
import { startService } from './service-builder.ts'

const MEMBERS = 40
const { url } = await testDatabase()
const service = await startService(url)

/** Stands between the connector and the sandbox. A third of all calls go wrong, in one of five ways; the same ones each run. */
async function aBadLine() {
  let state = 20_261_121
  const random = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 4_294_967_296
  }
  const faults: Record<string, number> = {}
  const server = createServer(async (req, res) => {
    const chunks: Buffer[] = []
    for await (const chunk of req) chunks.push(chunk as Buffer)
    const fault =
      random() < 0.33 ? (['500', '503', 'reset', 'lost', 'throttled'] as const)[Math.floor(random() * 5)]! : 'none'
    faults[fault] = (faults[fault] ?? 0) + 1
    if (fault === 'reset') return req.socket.destroy()
    if (fault === '500' || fault === '503') return res.writeHead(Number(fault)).end('<html>oops</html>')
    if (fault === 'throttled') {
      const throttleStatus = { maximumAvailable: 2000, currentlyAvailable: 1999, restoreRate: 1000 }
      const cost = { requestedQueryCost: 10, actualQueryCost: null, throttleStatus }
      const errors = [{ message: 'Throttled', extensions: { code: 'THROTTLED' } }]
      return res
        .writeHead(200, { 'content-type': 'application/json' })
        .end(JSON.stringify({ errors, extensions: { cost } }))
    }
    const { 'x-platform-access-token': token, 'content-type': type } = req.headers
    const answer = await request(`${service.urls.sandbox}${req.url}`, {
      method: 'POST',
      headers: { 'x-platform-access-token': String(token), 'content-type': String(type) },
      body: Buffer.concat(chunks)
    })
    const body = await answer.body.text()
    if (fault === 'lost') return req.socket.destroy()
    res.writeHead(answer.statusCode, { 'content-type': 'application/json' }).end(body)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  beforeDrop(async () => {
    server.closeAllConnections()
    server.close()
  })
  return { faults, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

test('over a bad line, three months of renewals are each charged once, on their days', async () => {
  const store = await service.aStore()
  for (let i = 0; i < MEMBERS; i++) await store.member(`person-${i}@example.com`)
  const line = await aBadLine()
  await movePlatform(service.db, store.storeId, `${line.url}/${store.domain}`)

  // A day more, for what had to be asked after.
  await store.advance({ to: '2026-05-01T15:00:00Z' })
  const { body } = await service.get('/billing-attempts?status=success&limit=1', store.key)
  assert.equal(body.meta.total, MEMBERS * 3)
  assert.equal((await service.get('/billing-attempts?status=failed', store.key)).body.meta.total, 0)
  const { findings, checked } = await service.admin('POST', '/doctor', {})
  assert.deepEqual(findings, [])
  assert.equal(checked.platform_charges_agree, MEMBERS * 3)
  for (const fault of ['500', '503', 'reset', 'lost', 'throttled']) assert.ok(line.faults[fault]! > 3, fault)
})
