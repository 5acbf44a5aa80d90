// The published table of docs/api.md is the table of the code.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { DECLINE_CODES, declineOf, refusalOf } from './decline-codes.ts'

const docs = await readFile(new URL('../../../docs/api.md', import.meta.url), 'utf8')
const sdl = gunzipSync(
  await readFile(new URL('../../../test/fixtures/platform/admin-schema.2026-07.graphql.gz', import.meta.url))
).toString()

/** class -> [kind, codes], as the document says. */
function published(): Map<string, [string, string[]]> {
  const section = docs.slice(docs.indexOf('| `error.code` | kind |'))
  const rows = section.slice(0, section.indexOf('\n\n')).split('\n').slice(2)
  return new Map(
    rows.map((row) => {
      const [code, kind, codes] = row.split('|').slice(1, 4)
      const words = (text: string) => [...text.matchAll(/`([^`]+)`/g)].map((match) => match[1]!)
      return [words(code!)[0]!, [kind!.trim(), words(codes!)]]
    })
  )
}

function namesOf(enumName: string): string[] {
  const body = new RegExp(`enum ${enumName} \\{([\\s\\S]*?)\\n\\}`).exec(sdl)![1]!.replace(/"""[\s\S]*?"""/g, '')
  return [...body.matchAll(/^ {2}([A-Z_0-9]+)/gm)].map((match) => match[1]!)
}

test('each published code goes to its published class, and each code of ours is published', () => {
  const rows = [...published()].flatMap(([code, [kind, codes]]) =>
    codes.map((declineCode) => ({ code, declineCode, kind }))
  )
  assert.ok(rows.length > 60)
  for (const row of rows) assert.deepEqual(declineOf(row.declineCode.toUpperCase()), row)
  assert.deepEqual(rows.map(({ declineCode }) => declineCode).sort(), [...DECLINE_CODES.keys()].sort())
})

test('every error code of the platform, of charges and of calls, is published', () => {
  const known = new Set([...published().values()].flatMap(([, codes]) => codes))
  for (const name of ['SubscriptionBillingAttemptErrorCode', 'BillingAttemptUserErrorCode']) {
    const codes = namesOf(name)
    assert.ok(codes.length > 10)
    assert.deepEqual(
      codes.filter((code) => !known.has(code.toLowerCase())),
      []
    )
  }
})

test('a code that nobody knows passes through: of a charge as a soft decline, of a call as not accepted', () => {
  assert.deepEqual(declineOf('MOON_PHASE'), { code: 'card_declined', declineCode: 'moon_phase', kind: 'soft' })
  assert.deepEqual(refusalOf('MOON_PHASE'), { code: 'not_accepted', declineCode: 'moon_phase', kind: 'held' })
  assert.equal(refusalOf(undefined).code, 'not_accepted')
  assert.equal(refusalOf('contract_paused').code, 'contract_not_billable')
})
