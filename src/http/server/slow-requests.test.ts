// Real connections, on which a client sends its body a byte now and then. The clock of timers is moved by hand.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import { after, mock, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { testDatabase } from '../../../test/database.ts'
import { OPERATOR_TOKEN, testServer } from '../server.test-helper.ts'

const { db } = await testDatabase()
const { app } = testServer(db)
after(() => app.close())
await app.listen({ port: 0, host: '127.0.0.1' })
const { port } = app.server.address() as AddressInfo

/** Sends a head that promises more than ever comes; `closed` once the server has hung up, `heard` is what it said. */
async function dribble(head: string[]) {
  const socket = connect(port, '127.0.0.1')
  const received = { heard: '', closed: false }
  socket.on('data', (data) => {
    received.heard += data
  })
  socket.on('error', () => {})
  socket.on('close', () => {
    received.closed = true
  })
  await once(socket, 'connect')
  socket.write(`${[...head, 'Host: x', 'Content-Length: 1000'].join('\r\n')}\r\n\r\n{`)
  after(() => socket.destroy())
  return { socket, received }
}

/** Until it holds, or for so long that it will not: the machine may be slow, and timers do not run by themselves. */
async function until(holds: () => boolean, limitMs = 60_000): Promise<boolean> {
  for (const began = performance.now(); !holds() && performance.now() - began < limitMs; ) await setImmediate()
  return holds()
}

const operator = `Authorization: Bearer ${OPERATOR_TOKEN}`
const json = 'Content-Type: application/json'

for (const [what, head] of [
  ['a body of the direct API', ['POST /v1/plans HTTP/1.1', json]],
  ['a body of the admin API', ['POST /admin/api/stores HTTP/1.1', operator, json]],
  ['a message of the platform', ['POST /platform/webhooks HTTP/1.1', json]],
  ['a body that no route takes', ['POST /nothing HTTP/1.1', json]],
  ['a path that cannot be read', ['POST /v1/%zz HTTP/1.1', json]],
  ['a file of nobody', ['PUT /admin/api/stores/x/imports/imp_1/rows HTTP/1.1', 'Content-Type: text/csv']],
  ['a file of no kind', ['PUT /admin/api/stores/x/imports/imp_1/rows HTTP/1.1', operator, json]],
  ['a file for no store', ['PUT /admin/api/stores/x/imports/imp_1/rows HTTP/1.1', operator, 'Content-Type: text/csv']]
] as const) {
  // The platform itself waits no longer for an answer.
  const limitMs = what === 'a message of the platform' ? 15_000 : 30_000
  test(`${what} that does not come to its end in ${limitMs / 1_000} seconds is broken off`, async () => {
    mock.timers.enable({ apis: ['setTimeout'] })
    try {
      const arrived = once(app.server, 'request')
      const { socket, received } = await dribble([...head])
      const [request, response] = await arrived
      // Who calls is known by then: that took the database, whose own limits would pass with the clock.
      await until(() => request.readableFlowing || response.writableFinished)
      // A file is given longer until it is answered: that it is not wanted.
      if (what === 'a file for no store') await until(() => response.writableFinished)
      mock.timers.tick(limitMs - 1_000)
      assert.equal(await until(() => received.closed, 200), false)
      socket.write(' ')
      mock.timers.tick(2_000)
      assert.equal(await until(() => received.closed), true, `still open after ${received.heard.slice(0, 300)}`)
      assert.match(received.heard, /^HTTP\/1\.1 4\d\d /)
    } finally {
      mock.timers.reset()
    }
  })
}
