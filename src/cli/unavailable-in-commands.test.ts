import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { refusalOf, tooBusy } from '../http/shared/errors.ts'
import { asDriverError } from '../kit/postgres/outage.ts'
import { adminApi } from './admin-api.ts'
import { unavailableInCommands } from './unavailable-in-commands.ts'

const STATUS = '`perennial status` says what does not work, and what to do'

test('a database that does not respond is reported without the headers of a request', () => {
  const outage = asDriverError(Object.assign(new Error('terminating'), { code: '57P01', severity: 'FATAL' }))
  const { message } = refusalOf(outage, {} as never)!
  const write = { isRead: false }
  assert.equal(
    unavailableInCommands(message, write),
    `The database does not respond at the moment. Whether a change was made is not known. ${STATUS}`
  )
  assert.equal(
    unavailableInCommands(message, { isRead: true }),
    `The database does not respond at the moment. ${STATUS}`
  )
  assert.equal(
    unavailableInCommands(tooBusy().message, write),
    `The service is busy, and nothing was changed. ${STATUS}`
  )
})

test('only after a write it is not known whether a change was made', async (t) => {
  const outage = asDriverError(Object.assign(new Error('terminating'), { code: '57P01', severity: 'FATAL' }))
  const error = { code: 'unavailable', message: refusalOf(outage, {} as never)!.message }
  const server = createServer((_, res) => res.writeHead(503).end(JSON.stringify({ error }))).listen(0, '127.0.0.1')
  t.after(() => server.close())
  await once(server, 'listening')
  const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  const api = adminApi({ url, token: 'op_1' })
  const unknown = /Whether a change was made is not known/
  for (const read of [api.get('/stores'), api.readFile('/openapi.json')]) {
    await assert.rejects(read, (err: Error) => err.message.includes(STATUS) && !unknown.test(err.message))
  }
  for (const write of [api.post('/stores', {}), api.patch('/stores/1', {}), api.delete('/stores/1')]) {
    await assert.rejects(write, { code: 'unavailable', message: unknown })
  }
})

test('other messages stay as they are', () => {
  const message = 'The platform did not accept the plan: it is down'
  assert.equal(unavailableInCommands(message, { isRead: true }), message)
})
