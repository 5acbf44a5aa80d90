// A test that fails is named at once, and a file whose process fails although its tests passed: its output alone does not say it.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'

const reporter = new URL('report-failures.ts', import.meta.url).pathname
const run = promisify(execFile)

/** What the reporter says of files with these texts. */
async function reportOf(texts: Record<string, string>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'perennial-report-'))
  try {
    const files: string[] = []
    for (const [name, text] of Object.entries(texts)) {
      files.push(join(folder, name))
      await writeFile(files.at(-1)!, `import { test } from 'node:test'\n${text}`)
    }
    const { NODE_TEST_CONTEXT: _, ...env } = process.env
    const args = ['--test', `--test-reporter=${reporter}`, '--test-reporter-destination=stdout', ...files]
    const { stdout } = await run(process.execPath, args, { env }).catch((failed: { stdout: string }) => failed)
    return stdout.replaceAll(folder, '')
  } finally {
    await rm(folder, { recursive: true })
  }
}

test('a process that a signal ends, and an error after the end of a test, are named with their file', async () => {
  const said = await reportOf({
    'killed.test.mjs': `test('passes', () => {})\nprocess.on('exit', () => process.kill(process.pid, 'SIGKILL'))`,
    'late.test.mjs': `test('ends early', () => void setTimeout(() => { throw new Error('too late') }, 20))`
  })
  assert.match(said, /\/killed\.test\.mjs was ended by SIGKILL\n/)
  assert.match(said, /\/late\.test\.mjs ended with exit code 1\n {2}Error: Test "ends early" .*too late/)
})

test('a test that fails is named with its error and nothing more; nothing is said of a file that passes', async () => {
  assert.equal(await reportOf({ 'good.test.mjs': `test('passes', () => {})` }), '')
  const said = await reportOf({
    'bad.test.mjs': `test('outer', (t) => t.test('inner', () => { throw new Error('as it says') }))`
  })
  assert.match(said, /^\n✖ \/bad\.test\.mjs: inner\nError: as it says\n( {4}at .*\n)+$/)
})
