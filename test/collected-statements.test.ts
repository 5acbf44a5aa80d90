import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { promisify } from 'node:util'
import { collectedBreaches } from '../scripts/check-sql.ts'
import { testDatabase } from './database.ts'

let directory: string
before(async () => {
  directory = await mkdtemp(join(tmpdir(), 'collected-'))
})
after(() => rm(directory, { recursive: true, force: true }))

test('a statement that the product runs is noted once, with its place', async () => {
  const { url } = await testDatabase()
  const program = `
    import { Database } from '#kit/postgres'
    import { listStores } from '#stores'
    const db = new Database({ url: '${url}' })
    await listStores(db)
    await listStores(db)
    await db.close()`
  await promisify(execFile)(
    process.execPath,
    ['--import', './test/collect-statements.ts', '--input-type=module', '--eval', program],
    { cwd: new URL('..', import.meta.url), env: { ...process.env, COLLECTED_STATEMENTS: directory } }
  )
  const [file] = await readdir(directory)
  const noted = (await readFile(join(directory, file!), 'utf8')).trim().split('\n')
  const places = noted.map((line) => JSON.parse(line)).filter(({ text }) => /\bfrom stores\b/.test(text))
  assert.deepEqual(
    places.map((one) => one.file),
    ['src/stores/queries.ts']
  )
})

test('a noted statement that breaks a rule is reported with the place that ran it, also when its values name two stores', async () => {
  const at = { file: 'src/stores/find-store.ts', line: 24 }
  const ran = [
    { ...at, text: 'select id from members for update', parameters: [] },
    {
      ...at,
      text: 'select 1 from members m, plans p where m.store_id = $1 and p.store_id = $2',
      parameters: ['3', '4']
    },
    {
      ...at,
      text: 'select 2 from members m, plans p where m.store_id = $1 and p.store_id = $2',
      parameters: ['3', '3']
    },
    { ...at, text: 'begin', parameters: [] }
  ]
  await writeFile(join(directory, 'ran.jsonl'), ran.map((one) => JSON.stringify(one)).join('\n'))
  const found = (await collectedBreaches(directory)).filter(({ place }) => place.startsWith(at.file))
  assert.deepEqual(
    found.map(({ place, rule, reason }) => `${place} ${rule}: ${reason}`),
    [
      'src/stores/find-store.ts:24 listStores 1: members has no store_id = $n of its own',
      'src/stores/find-store.ts:24 listStores 5: members is locked for more than one store',
      'src/stores/find-store.ts:24 listStores 1: names more than one store: the store 3 and the store 4'
    ]
  )
})
