import assert from 'node:assert/strict'
import { test } from 'node:test'
import { breachesOf } from '../scripts/check-imports.ts'

const reasons = (path: string, source: string) =>
  breachesOf(path, source).map(({ line, reason }) => `${line}: ${reason}`)

test('what the rules of import allow passes', () => {
  assert.deepEqual(
    reasons(
      'billing/dunning.ts',
      "import { a } from '#subscriptions'\nimport type { B } from '#kit/outbox'\nimport './x.ts'"
    ),
    []
  )
  assert.deepEqual(reasons('http/rest/members.ts', "import { a } from '#reports'\nimport { b } from '../deps.ts'"), [])
  assert.deepEqual(
    reasons('app/service.ts', "import { a } from '../sandbox/index.ts'\nimport { b } from '#webhooks'"),
    []
  )
  assert.deepEqual(reasons('billing/dunning.test.ts', "import { a } from '../subscriptions/queries.ts'"), [])
})

for (const [what, path, source, reason] of [
  [
    'a later module',
    'members/a.ts',
    "import { a } from '#billing'",
    '1: members comes before billing: record an event instead'
  ],
  [
    'a file behind a door',
    'billing/a.ts',
    "\nimport { a } from '../subscriptions/queries.ts'",
    '2: a module is entered by its door, #subscriptions'
  ],
  [
    'a path that is no door',
    'billing/a.ts',
    "import { a } from '#subscriptions/queries'",
    '1: #subscriptions/queries is no door'
  ],
  ['a module from kit', 'kit/jobs.ts', "import type { A } from '#stores'", '1: kit knows nothing of stores'],
  [
    'the sandbox from a module',
    'platform/a.ts',
    "const a = await import('../sandbox/index.ts')",
    '1: platform does not know sandbox'
  ],
  [
    'a module from the sandbox',
    'sandbox/a.ts',
    "export { a } from '#platform'",
    '1: sandbox knows nothing of platform'
  ],
  [
    'one surface from another',
    'http/storefront/a.ts',
    "import { a } from '../rest/errors.ts'",
    '1: the surface storefront does not know the surface rest'
  ],
  ['app from http', 'http/a.ts', "import { a } from '../app/service.ts'", '1: http does not know app'],
  [
    'something outside src',
    'billing/a.ts',
    "import { a } from '../../test/b.ts'",
    '1: the service imports nothing from outside src'
  ]
] as const) {
  test(`${what} is refused, with the line and the reason`, () => {
    assert.deepEqual(reasons(path, source), [reason])
  })
}
