import assert from 'node:assert/strict'
import { test } from 'node:test'
import { breachesOf } from '../scripts/check-imports.ts'

/** What the rules find in a small tree, given as paths and texts. */
const breaches = (tree: Record<string, string>) =>
  breachesOf(new Map(Object.entries(tree))).map(({ file, line, reason }) => `${file}:${line} ${reason}`)

const MIGRATIONS = {
  'migrations/0004-members.sql': 'create table members (store_id int);',
  'migrations/0009-billing.sql': 'create table billing_attempts (store_id int);',
  'sandbox/migrations/0001-shops.sql': 'create table sandbox_shops (id int);'
}

test('what the rules allow passes', () => {
  assert.deepEqual(
    breaches({
      ...MIGRATIONS,
      'src/billing/index.ts': "export { retryAttempt } from './retry-attempt.ts'",
      'src/billing/retry-attempt.ts':
        "import { a } from '#subscriptions'\nimport { b } from '#subscriptions/transitions'\nimport type { C } from '#kit/outbox'\n" +
        'export const find = sql`\n  select a.id from billing_attempts a join members m on m.id = a.member_id for update`',
      'src/billing/retry-attempt.test.ts': "import { a } from '../subscriptions/queries.ts'\nsql`delete from members`",
      'src/app/engines.ts': "const a = (await import('../billing/billing-engine.ts')).createBillingEngine",
      'src/webhooks/public-events.ts': "const a = (await import('../billing/events/billing-failed.ts')).billingFailed",
      'src/http/rest/members.ts': "import { a } from '#views'\nimport { b } from '../shared/deps.ts'",
      'src/http/shared/deps.ts': '',
      'src/app/service.ts': "import { a } from '../../sandbox/index.ts'\nimport { b } from '#webhooks'",
      'sandbox/index.ts': "import { sql } from '#kit/postgres'\nsql`update sandbox_shops set id = 1`"
    }),
    []
  )
})

for (const [what, tree, expected] of [
  [
    'a later module',
    { 'src/members/a.ts': "import { a } from '#billing'" },
    'src/members/a.ts:1 imports #billing: members comes before billing: record a fact instead'
  ],
  [
    'a file behind a door',
    { 'src/billing/a.ts': "\nimport { a } from '../subscriptions/queries.ts'" },
    'src/billing/a.ts:2 imports ../subscriptions/queries.ts: a module is entered by its door, #subscriptions'
  ],
  [
    'a module’s own door',
    { 'src/billing/a.ts': "import { a } from '#billing'" },
    'src/billing/a.ts:1 imports #billing: a module does not use its own door'
  ],
  [
    'a path that is no door',
    { 'src/billing/a.ts': "import { a } from '#subscriptions/queries'" },
    'src/billing/a.ts:1 imports #subscriptions/queries: it is no door'
  ],
  [
    'the second door of subscriptions, from a module that it is not open to',
    { 'src/imports/a.ts': "import { a } from '#subscriptions/transitions'" },
    'src/imports/a.ts:1 imports #subscriptions/transitions: this door is open only to billing, lifecycle, contracts'
  ],
  [
    'the door of subscriptions for billing, from another module',
    { 'src/lifecycle/a.ts': "import { a } from '#subscriptions/for-billing'" },
    'src/lifecycle/a.ts:1 imports #subscriptions/for-billing: this door is open only to billing'
  ],
  [
    'a module from kit',
    { 'src/kit/jobs.ts': "import type { A } from '#stores'" },
    'src/kit/jobs.ts:1 imports #stores: kit does not know stores'
  ],
  [
    'anything of ours from resources',
    { 'src/resources/a.ts': "import { a } from '#kit/clock'" },
    'src/resources/a.ts:1 imports #kit/clock: resources imports nothing of ours'
  ],
  [
    'the sandbox from a module',
    { 'src/platform/a.ts': "const a = await import('../../sandbox/index.ts')" },
    'src/platform/a.ts:1 imports ../../sandbox/index.ts: platform does not know sandbox'
  ],
  [
    'a module from the sandbox',
    { 'sandbox/a.ts': "export { a } from '#platform'" },
    'sandbox/a.ts:1 imports #platform: sandbox does not know platform'
  ],
  [
    'one surface from another',
    { 'src/http/storefront/a.ts': "import { a } from '../rest/errors.ts'" },
    'src/http/storefront/a.ts:1 imports ../rest/errors.ts: the surface storefront does not know the surface rest'
  ],
  [
    'a later folder of http',
    { 'src/http/shared/a.ts': "import { a } from '../server/server.ts'" },
    'src/http/shared/a.ts:1 imports ../server/server.ts: http/shared comes before http/server'
  ],
  [
    'app from http',
    { 'src/http/shared/a.ts': "import { a } from '../../app/service.ts'" },
    'src/http/shared/a.ts:1 imports ../../app/service.ts: http does not know app'
  ],
  [
    'something outside src and sandbox',
    { 'src/billing/a.ts': "import { a } from '../../test/b.ts'" },
    'src/billing/a.ts:1 imports ../../test/b.ts: the service imports nothing from outside src and sandbox'
  ],
  [
    'a circle of files, of types too',
    {
      'src/kit/a.ts': "import type { B } from './b.ts'",
      'src/kit/b.ts': "import { c } from './c.ts'",
      'src/kit/c.ts': "import type { A } from './a.ts'"
    },
    'src/kit/a.ts:0 imports itself in a circle: src/kit/a.ts → src/kit/b.ts → src/kit/c.ts → src/kit/a.ts'
  ],
  [
    'inner folders that import each other both ways',
    {
      'src/billing/dunning/a.ts': "import { b } from '../settling/b.ts'",
      'src/billing/settling/b.ts': '',
      'src/billing/settling/c.ts': "import { d } from '../dunning/d.ts'",
      'src/billing/dunning/d.ts': ''
    },
    'src/billing/dunning:0 inner folders have an order, but these import each other: src/billing/dunning → src/billing/settling → src/billing/dunning'
  ],
  [
    'one name at two doors',
    {
      'src/billing/index.ts': "export { retry } from './retry.ts'",
      'src/lifecycle/index.ts': "export {\n  cancel,\n  type Again as retry\n} from './a.ts'"
    },
    'src/lifecycle/index.ts:1 exports retry, as src/billing/index.ts does'
  ],
  [
    'a door that exports all of a file',
    { 'src/billing/index.ts': "export * from './retry.ts'" },
    'src/billing/index.ts:1 a door names what it exports'
  ],
  [
    'a write into the table of another module',
    { ...MIGRATIONS, 'src/webhooks/a.ts': '\nconst a = sql`\n  with x as (select 1)\n  update members set a = 1`' },
    'src/webhooks/a.ts:4 only members writes the table members'
  ],
  [
    'a read of a table of a later module',
    { ...MIGRATIONS, 'src/members/a.ts': 'sql`select 1 from members m join billing_attempts a using (store_id)`' },
    'src/members/a.ts:1 members comes before billing, and does not read its table billing_attempts'
  ],
  [
    'a read of a view of a later module',
    {
      'migrations/0015-views.sql': 'create view member_pages with (security_invoker = true) as select 1',
      'src/billing/a.ts': 'sql`select 1 from member_pages`'
    },
    'src/billing/a.ts:1 billing comes before views, and does not read its table member_pages'
  ],
  [
    'a registry file of a module in another module',
    { 'src/billing/settings.ts': '', 'src/lifecycle/a.ts': "import { dunningSettings } from '#billing/settings'" },
    'src/lifecycle/a.ts:1 imports #billing/settings: this door is open only to app'
  ],
  [
    'a file of a module that is no engine, in the list of engines',
    { 'src/app/engines.ts': "const a = (await import('../billing/queries.ts')).a" },
    'src/app/engines.ts:1 imports ../billing/queries.ts: a module is entered by its door, #billing'
  ],
  [
    'a fact of another module, outside the table of public events',
    { 'src/webhooks/a.ts': "import { a } from '../billing/events/billing-failed.ts'" },
    'src/webhooks/a.ts:1 imports ../billing/events/billing-failed.ts: a module is entered by its door, #billing'
  ],
  [
    'what is no fact, in the table of public events',
    { 'src/webhooks/public-events.ts': "const a = (await import('../billing/queries.ts')).a" },
    'src/webhooks/public-events.ts:1 imports ../billing/queries.ts: a module is entered by its door, #billing'
  ],
  [
    'a read outside modules',
    { ...MIGRATIONS, 'src/http/rest/a.ts': 'sql`select 1 from members`' },
    'src/http/rest/a.ts:1 http asks a module for rows of members, and reads no tables itself'
  ],
  [
    'a table of the sandbox in a module',
    { ...MIGRATIONS, 'src/webhooks/a.ts': 'sql`select 1 from sandbox_shops`' },
    'src/webhooks/a.ts:1 webhooks does not know the table sandbox_shops of sandbox'
  ],
  [
    'a table of ours in the sandbox',
    { ...MIGRATIONS, 'sandbox/a.ts': 'sql`select 1 from members`' },
    'sandbox/a.ts:1 sandbox does not know the table members of members'
  ],
  ['an app that decides', { 'src/app/service.ts': 'line\n'.repeat(1_200) }, 'src/app:0 has 1200 lines, 1200 at most'],
  [
    'a folder of a module that nobody can survey',
    Object.fromEntries(Array.from({ length: 27 }, (_, i) => [`src/webhooks/a${i}.ts`, ''])),
    'src/webhooks:0 has 27 files, 26 at most: cut it into inner folders'
  ]
] as [string, Record<string, string>, string][]) {
  test(`refused, with the place and the reason: ${what}`, () => {
    assert.deepEqual(breaches(tree), [expected])
  })
}
