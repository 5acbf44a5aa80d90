// The import commands, each as a process against the running service with its engines.
import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { commandLine } from './command-line.ts'
import { testDatabase } from './database.ts'
import { aStoreForImports, csv } from './import-builder.ts'
import { startService } from './service-builder.ts'

const { url } = await testDatabase()
const service = await startService(url, { background: true })
const { run, json } = commandLine(service)
const folder = await mkdtemp(join(tmpdir(), 'perennial-import-'))
after(() => rm(folder, { recursive: true }))

test('`import file` waits for the import to end; refused rows exit with 1 and are listed with their reasons', async () => {
  const imports = await aStoreForImports(service)
  const store = ['--store', imports.store.domain]
  const [a, b] = await imports.contracts(710_001, 2, () => ({ nextBillingAt: '2027-01-01T00:00:00Z' }))
  const good = join(folder, 'good.csv')
  await writeFile(good, csv(['contract_id'], [[a!], [b!]]))
  const done = await json('import', 'file', good, ...store, '--mode', 'paused', '--paused-until', '2026-06-01')
  assert.deepEqual([done.status, done.mode, done.created, done.refused], ['done', 'paused', 2, 0])
  assert.equal(done.allow_duplicates, false)

  const bad = join(folder, 'bad.jsonl')
  await writeFile(bad, `{"contract_id":"${a}"}\n{"contract_id":"5"}\n`)
  const { code, out, err } = await run(['import', 'file', bad, ...store])
  assert.equal(code, 1, err)
  assert.match(out, /unchanged +1[\s\S]*refused +1[\s\S]*perennial import refused imp_/)
  assert.match(err, /Sending .* as imp_/)
  const [newest, first] = (await json('import', 'list', ...store)).data
  assert.deepEqual([newest.refused, first.id], [1, done.id])
  const report = await run(['import', 'refused', newest.id, ...store])
  assert.deepEqual([report.code, report.out.split('\r\n')[1]?.includes('contract_not_found')], [0, true])
  assert.deepEqual(
    (await json('import', 'refused', newest.id, ...store)).data.map(({ line, code }: any) => [line, code]),
    [[2, 'contract_not_found']]
  )
  assert.equal((await json('import', 'show', done.id, ...store)).pushed, 2)
  assert.equal((await run(['import', 'cancel', done.id, ...store])).code, 1)

  const header = join(folder, 'header.csv')
  await writeFile(header, `colour\n${'red\n'.repeat(200_000)}`)
  const refused = await run(['import', 'file', header, ...store, '--json'])
  assert.equal(refused.code, 1)
  // The columns of the file are no flags, although one has the name of a flag.
  assert.match(JSON.parse(refused.out).error.message, /"colour", which is not a column; .*, paused_until, /)
  // The import does not wait for the rest of the file: it is cancelled.
  assert.equal((await json('import', 'list', ...store)).data[0].status, 'cancelled')
  const missing = await run(['import', 'file', join(folder, 'none.csv'), ...store])
  assert.match(missing.err, /cannot be read/)
})

test("`import platform` imports the platform's contracts", async () => {
  const imports = await aStoreForImports(service)
  await imports.contracts(711_001, 3, () => ({ nextBillingAt: '2027-01-01T00:00:00Z' }))
  const done = await json('import', 'platform', '--store', imports.store.domain)
  assert.deepEqual([done.status, done.created], ['done', 3])
})

test('`import file --allow-duplicates` accepts several rows of one customer and plan without an id', async () => {
  const imports = await aStoreForImports(service)
  const store = ['--store', imports.store.domain]
  await imports.store.customer('ada@example.com')
  const file = join(folder, 'twice.csv')
  const row = ['ada@example.com', 'VIP', '2026-03-01']
  await writeFile(file, csv(['email', 'plan', 'next_billing_date'], [row, row]))
  const { code, out } = await run(['import', 'file', file, ...store])
  assert.equal(code, 1)
  assert.match(out, /created +1[\s\S]*refused +1/)
  const allowed = await json('import', 'file', file, ...store, '--allow-duplicates')
  assert.deepEqual([allowed.created, allowed.unchanged, allowed.refused, allowed.allow_duplicates], [1, 1, 0, true])
  const unknown = await run(['import', 'platform', ...store, '--allow-duplicates'])
  assert.deepEqual([unknown.code, /--allow-duplicates/.test(unknown.err)], [1, true])
})
