import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'

const PRELOADED = new URL('light-async-context.ts', import.meta.url).href

const folder = mkdtempSync(join(tmpdir(), 'perennial-context-'))
after(() => rmSync(folder, { recursive: true, force: true }))

/** What Node's runner says of a group of two files, without what takes time. */
async function outcome(...args: string[]): Promise<string> {
  const group = join(folder, 'group.mjs')
  writeFileSync(
    group,
    `import { test } from 'node:test'
for (const file of ['one', 'two']) await test(file, () => import('./' + file + '.mjs'))`
  )
  for (const file of ['one', 'two']) {
    writeFileSync(
      join(folder, `${file}.mjs`),
      `import { after, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
after(() => console.log('end of ${file}'))
await sleep(1)
test('with another in it', async (t) => {
  await sleep(1)
  await t.test('of its own', () => sleep(1))
  await test('of the same', () => sleep(1))
})
test('with an error in a timer', async () => {
  setTimeout(() => { throw new Error('thrown in ${file}') }, 1)
  await sleep(500)
})
test('with an error that nobody handles', async () => {
  sleep(1).then(() => { throw new Error('rejected in ${file}') })
  await sleep(500)
})
test('that leaves an error behind', () => void setTimeout(() => Promise.reject(new Error('late')), 20))
test('that waits', () => sleep(100))`
    )
  }
  const { NODE_TEST_CONTEXT: _, ...env } = process.env
  const out = await new Promise<string>((resolve) =>
    execFile(process.execPath, [...args, '--test-reporter=spec', group], { env }, (err, stdout) =>
      resolve(`${err?.code ?? 0}\n${stdout}`)
    )
  )
  return out.replace(/ \([\d.]+ms\)|duration_ms [\d.]+/g, '')
}

test('a nested test, an end and an error belong to the test that they belong to by async_hooks', async () => {
  const [light, byHooks] = await Promise.all([outcome('--import', PRELOADED), outcome()])
  assert.equal(light, byHooks)
  assert.match(light, /▶ one\n {2}▶ with another in it\n {4}✔ of its own\n {4}✔ of the same\n/)
  assert.match(light, /Test "that leaves an error behind" at .*one\.mjs/)
  assert.match(light, /^1\n/)
  assert.match(light, /ℹ fail 6\n/)
})
