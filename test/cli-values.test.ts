// JSON that is given to a command: from a file, and what an error about it says.
import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { jsonObject } from '../src/cli/flags.ts'
import { commandLine } from './command-line.ts'

/** A service that nobody reaches: what is wrong with a flag is said before. */
const { run } = commandLine({ urls: { public: 'http://127.0.0.1:9' } })
const set = (value: string) =>
  run(['storefront-settings', 'set', '--store', 'books.example', '--key', 'svc_agreement', '--value', value])

const nested = (depth: number) => ['{"a":'.repeat(depth), '1', '}'.repeat(depth)].join('')

test('JSON is read from the flag or from a file', async () => {
  const path = join(tmpdir(), `value-${process.pid}.json`)
  await writeFile(path, '{"agreement_enabled":1}\n')
  const { read } = jsonObject('the fields')
  assert.deepEqual(read(`@${path}`), { agreement_enabled: 1 })
  assert.deepEqual(read('{"agreement_enabled":1}'), { agreement_enabled: 1 })
  const missing = await set('@/nowhere/value.json')
  assert.match(missing.err, /^perennial: --value cannot be '@\/nowhere\/value\.json'\. The file cannot be read: ENOENT/)
})

test('what is nested too deep names the flag, and is refused before the service refuses the body', async () => {
  const refused = await set(nested(31))
  assert.match(refused.err, /^perennial: --value cannot be .* nested no deeper than 30\n$/)
  assert.match((await set(nested(30))).err, /No service is running/)
})

test('a wrong value is repeated in part', async () => {
  const refused = await set(`{"a":"${'x'.repeat(90_000)}`)
  assert.equal(refused.code, 1)
  assert.ok(refused.err.length < 500, `${refused.err.length} characters`)
  assert.match(
    refused.err,
    /^perennial: --value cannot be '\{"a":"x+…'\. It must be the fields to change as one JSON object, or @file/
  )
})
