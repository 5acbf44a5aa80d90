import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { stopOnSignals } from './stop-signals.ts'

/** Signals by hand and time by hand: `ended` counts the ends at once. */
function stopping(t: TestContext) {
  t.mock.timers.enable({ apis: ['setTimeout', 'setImmediate'] })
  const counted = { ended: 0 }
  const stop = stopOnSignals(() => counted.ended++)
  t.after(stop.forget)
  return { stop, counted }
}

const send = (signal: NodeJS.Signals) => process.emit(signal, signal)

test('a signal and the same one forwarded are one request', (t) => {
  const { stop, counted } = stopping(t)
  assert.equal(stop.signal.aborted, false)
  send('SIGINT')
  assert.equal(stop.signal.reason, 'SIGINT')
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGINT'] as const) send(signal)
  t.mock.timers.tick(999)
  send('SIGINT')
  assert.deepEqual([stop.signal.reason, counted.ended], ['SIGINT', 0])
})

for (const second of ['SIGTERM', 'SIGINT'] as const) {
  test(`${second} a second after SIGTERM ends at once`, (t) => {
    const { counted } = stopping(t)
    send('SIGTERM')
    // Signals in between do not prolong the second.
    t.mock.timers.tick(900)
    send('SIGTERM')
    t.mock.timers.tick(101)
    send(second)
    assert.equal(counted.ended, 1)
  })
}

test('a signal that arrived while the program computed is not a second request', async (t) => {
  const counted = { ended: 0 }
  const stop = stopOnSignals(() => counted.ended++)
  t.after(stop.forget)
  const aborted = new Promise((resolve) => stop.signal.addEventListener('abort', resolve))
  process.kill(process.pid, 'SIGTERM')
  await aborted
  process.kill(process.pid, 'SIGTERM')
  const end = performance.now() + 1_100
  while (performance.now() < end);
  await new Promise((resolve) => setTimeout(resolve, 50))
  assert.equal(counted.ended, 0)
  process.kill(process.pid, 'SIGTERM')
  await new Promise((resolve) => setTimeout(resolve, 50))
  assert.equal(counted.ended, 1)
})
