import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { until } from '../../test/until.ts'
import { keepRunning } from './keep-running.ts'

/** A server whose starts end as `starts` says; what was logged. */
function aServer(starts: boolean[], pausesMs: number[]) {
  const server = { alive: true, tries: 0, logged: [] as string[] }
  const kept = keepRunning({
    isAlive: async () => server.alive,
    startAgain: async () => {
      if (!starts[server.tries++]) throw new Error(`no start ${server.tries}`)
      server.alive = true
    },
    log: (line) => void server.logged.push(line),
    pausesMs
  })
  return { server, kept }
}

// The pauses keep no process alive, so these tests do.
const awake = setInterval(() => {}, 1_000)
after(() => clearInterval(awake))

test('a start that fails is repeated, and a death right after a start goes on with the next pause', async () => {
  const { server, kept } = aServer([false, true, false, false], [0, 5, 5, 5])
  server.alive = false
  await until('it runs again', () => server.alive)
  assert.equal(server.tries, 2)
  server.alive = false
  const reason = await kept.gone
  assert.equal(reason.message, 'no start 4')
  assert.equal(server.tries, 4, 'the pauses are used up, however often it came up in between')
  await kept.stop()
})

test('a server that dies again and again is given up although every start works', async () => {
  const { server, kept } = aServer([true, true, true], [0, 5])
  const dying = setInterval(() => {
    server.alive = false
  }, 20)
  const reason = await kept.gone
  clearInterval(dying)
  assert.match(reason.message, /died again and again/)
  assert.equal(server.tries, 2)
  await kept.stop()
})

test('a stop during a pause ends it, and nothing is given up', async () => {
  const { server, kept } = aServer([true], [60_000])
  let isGone = false
  void kept.gone.then(() => {
    isGone = true
  })
  server.alive = false
  await until('it has noticed', () => server.logged.length > 0)
  await kept.stop()
  assert.deepEqual([server.tries, isGone], [0, false])
})
