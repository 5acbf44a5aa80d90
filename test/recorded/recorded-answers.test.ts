// The sandbox answers as a real store did: every recorded call is repeated over its socket, and the answers are compared.
// `lacking.ts` lists what it deliberately has not, `accepted.ts` what is meant to differ, `known/<area>.txt` what is still wrong.
// With UPDATE_KNOWN=1 the last are written; with SHOW=1 each difference is printed, of FILES=part-of-a-name alone if that is set.
import assert from 'node:assert/strict'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { after, test } from 'node:test'
import { adminSchema } from '../../sandbox/admin/index.ts'
import { startSandbox } from '../../sandbox/start-sandbox.test-helper.ts'
import { testDatabase } from '../database.ts'
import { ACCEPTED, CHANGED, LACKING } from './lists.ts'
import { recordedCalls } from './recorded-calls.ts'
import { type Replayed, replay } from './replay.ts'

const FIXTURES = new URL('../fixtures/platform/', import.meta.url)
const KNOWN = new URL('./known/', import.meta.url)
const { UPDATE_KNOWN, SHOW, FILES = '' } = process.env

const { db } = await testDatabase()
const { aShop, bugs } = await startSandbox(db)
const schema = adminSchema()
const separate = JSON.parse(await readFile(new URL('recorded-documents.json', FIXTURES), 'utf8'))
const all = (await readdir(new URL('recorded/', FIXTURES), { recursive: true })).filter((name) =>
  name.endsWith('.json')
)
const names = all.filter((name) => name.includes(FILES)).sort()

const areaOf = (name: string) => (name.includes('/') ? name.slice(0, name.indexOf('/')) : 'other')
const areas = [...new Set(names.map(areaOf))]
const known = new Set<string>()
for (const area of areas) {
  const text = await readFile(new URL(`${area}.txt`, KNOWN), 'utf8').catch(() => '')
  for (const line of text.split('\n')) if (line) known.add(line)
}

const results = new Map<string, Replayed[]>()
let withoutDocument = 0

for (const name of names) {
  // The tests before run while this is read: what they use stands above.
  const file = JSON.parse(await readFile(new URL(`recorded/${name}`, FIXTURES), 'utf8'))
  test(`${name}: the sandbox answers as the recorded store`, async () => {
    const recording = recordedCalls(name, file, separate)
    withoutDocument += recording.withoutDocument.length
    const replayed = await replay({ aShop, schema, name, file, calls: recording.calls })
    results.set(name, replayed)
    if (SHOW)
      for (const one of replayed)
        if (one.kind === 'differs')
          console.log(
            `${name}${one.at} (${one.roots})\n   ${one.differences.map((text) => text.slice(0, +SHOW)).join('\n   ')}`
          )
    const wrong = replayed.filter(({ kind }) => kind === 'differs')
    if (UPDATE_KNOWN) return
    assert.deepEqual(
      wrong.filter(({ at }) => !known.has(`${name}${at}`)).map(({ at, differences }) => ({ at, differences })),
      [],
      'answers that differ'
    )
    const right = replayed.filter(({ kind }) => kind !== 'differs').map(({ at }) => `${name}${at}`)
    assert.deepEqual(
      right.filter((place) => known.has(place)),
      [],
      'alike now: no longer a known difference'
    )
  })
}

test('no recorded call caused an internal error', () => assert.deepEqual(bugs, []))

test('all recordings are there, and every reason in the lists is needed', { skip: FILES !== '' }, () => {
  assert.equal(all.length, 134)
  const used = new Set([...results.values()].flat().flatMap(({ reasons }) => reasons))
  assert.deepEqual(
    [...Object.keys(LACKING), ...Object.keys(CHANGED), ...Object.keys(ACCEPTED)].filter((reason) => !used.has(reason)),
    [],
    'not needed'
  )
  const places = new Set([...results].flatMap(([name, replayed]) => replayed.map(({ at }) => `${name}${at}`)))
  assert.deepEqual(
    [...known].filter((place) => !places.has(place)),
    [],
    'known differences of calls that do not exist'
  )
  const types = schema.getTypeMap()
  const has = (entry: string) => {
    const [type = '', field = ''] = entry.startsWith('... on ') ? [entry.slice(7)] : entry.split('.')
    const found = types[type]
    if (!field) return Boolean(found)
    return Boolean(found && 'getFields' in found && field in found.getFields())
  }
  assert.deepEqual(Object.keys(LACKING).filter(has), [], 'the sandbox has these')
})

after(async () => {
  const table = new Map<string, Record<Replayed['kind'], number>>()
  const empty = () => ({ alike: 0, 'alike in part': 0, accepted: 0, differs: 0, lacking: 0 })
  for (const [name, replayed] of results) {
    for (const { kind, roots } of replayed) {
      for (const row of [`area ${areaOf(name)}`, 'total', ...(SHOW ? [`${name} ${roots}`] : [])]) {
        const counts = table.get(row) ?? empty()
        counts[kind]++
        table.set(row, counts)
      }
    }
  }
  const lines = [...table]
    .sort(([a], [b]) => a.localeCompare(b))
    .map(([row, counts]) => `${row}: ${JSON.stringify(counts)}`)
  const files = [...results.values()].filter((calls) => calls.every(({ kind }) => kind === 'alike')).length
  const { alike = 0, ...others } = table.get('total') ?? {}
  const count = alike + Object.values(others).reduce((sum, one) => sum + one, 0)
  console.log(
    `${lines.join('\n')}\n${alike} of ${count} alike, ${files} of ${results.size} files whole; ${withoutDocument} answers without a call`
  )
  if (!UPDATE_KNOWN) return
  const places = [...results].flatMap(([name, replayed]) =>
    replayed.filter(({ kind }) => kind === 'differs').map(({ at }) => `${name}${at}`)
  )
  const kept = [...known].filter((place) => FILES !== '' && !place.includes(FILES))
  for (const area of areas) {
    const lines = [...kept, ...places].filter((place) => areaOf(place.slice(0, place.indexOf('.json'))) === area)
    await writeFile(
      new URL(`${area}.txt`, KNOWN),
      lines
        .sort()
        .map((line) => `${line}\n`)
        .join('')
    )
  }
})
