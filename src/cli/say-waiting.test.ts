import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { sayWaiting } from './say-waiting.ts'

test('work that lasts says what it waits for, until it is done', async () => {
  const said: string[] = []
  let looks = 0
  const look = async () => {
    looks++
    if (looks === 2) throw new Error('not now')
    return 'one receiver has not answered (we_3)'
  }
  const work = wait(400, 'done')
  const result = await sayWaiting(work, { say: (line) => said.push(line), look, firstMs: [50, 100] })
  assert.equal(result, 'done')
  assert.deepEqual(said, [
    'Still at work after 0 s: one receiver has not answered (we_3)\n',
    'Still at work after 0 s\n'
  ])
})

test('work that is done soon, or fails, says nothing', async () => {
  const said: string[] = []
  const options = { say: (line: string) => said.push(line), look: async () => '', firstMs: [10_000] }
  assert.equal(await sayWaiting(Promise.resolve(1), options), 1)
  await assert.rejects(sayWaiting(Promise.reject(new Error('no')), options), /^Error: no$/)
  assert.deepEqual(said, [])
})
