import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { breachesOf } from '../scripts/check-imports.ts'
import { exportsOf } from '../scripts/import-rules/doors.ts'
import { readTree, SECOND_DOORS } from '../scripts/import-rules/tree.ts'

/** What the rules find in a small tree, given as paths and texts. */
const breaches = (tree: Record<string, string>) =>
  breachesOf(new Map(Object.entries(tree))).map(({ file, line, reason }) => `${file}:${line} ${reason}`)

const MIGRATIONS = {
  'migrations/0004-members.sql': 'create table members (store_id int);',
  'migrations/0009-billing.sql': 'create table billing_attempts (store_id int);',
  'sandbox/migrations/0001-shops.sql': 'create table sandbox_shops (id int);'
}

const FUNCTIONS = {
  'migrations/functions/touch.sql':
    "create function touch(store int) returns void language plpgsql as $$ -- the store's members\n begin update members set a = 1; end $$;",
  'migrations/functions/touch-twice.sql':
    'create function touch_twice(store int) returns void language sql as $$ select touch(store), touch(store) $$;'
}

test('what the rules allow passes', () => {
  assert.deepEqual(
    breaches({
      ...MIGRATIONS,
      ...FUNCTIONS,
      'migrations/0017-members.sql':
        'create index more on members (a); create trigger more after insert on members for each row execute function more();' +
        'create table more (store_id int references members); select touch(7)',
      'src/members/queries.ts': 'sql`select touch_twice(7)`',
      'src/billing/index.ts': "export { retryAttempt } from './retry-attempt.ts'",
      'src/billing/retry-attempt.ts':
        "import { a } from '#subscriptions'\nimport { b } from '#subscriptions/transitions'\nimport type { C } from '#kit/outbox'\n" +
        'export const find = sql`\n  select a.id from billing_attempts a join members m on m.id = a.member_id for update`',
      'src/billing/retry-attempt.test.ts': "import { a } from '../subscriptions/queries.ts'\nsql`delete from members`",
      'src/app/engine-list.ts': "export { createBillingEngine } from '../billing/billing-engine.ts'",
      'src/app/job-list.ts': "export { aJob } from '../billing/a-job.ts'",
      'src/billing/a-job.ts': "export const aJob = defineJob('a', B, {}, c)",
      'src/webhooks/event-list.ts':
        "export { billingFailed as 'billing.failed' } from '../billing/events/billing-failed.ts'",
      'src/billing/events/billing-failed.ts': 'export const billingFailed = definePublicFact()',
      'src/http/rest/members.ts': "import { a } from '#views'\nimport { b } from '../shared/deps.ts'",
      'src/http/shared/deps.ts': '',
      'src/app/service.ts': "import { a } from '../../sandbox/index.ts'\nimport { b } from '#webhooks'",
      'sandbox/index.ts': "import { sql } from '#kit/postgres'\nsql`update sandbox_shops set id = 1`",
      'sandbox/checkout.ts': "import { priceCart } from '#plans/pricing'",
      'src/http/admin/a.ts': "import { priceCart } from '#plans/pricing'",
      'web/storefront/a.ts':
        "import { b } from './b.ts'\nimport { priceCart } from '../../src/plans/pricing/index.ts'\nimport type { C } from '../../sdk/src/storefront.ts'",
      'web/storefront/b.ts': 'export const b = 1',
      'web/admin/app/router.tsx':
        "import { Page } from '../features/members/page.tsx'\nimport { createRoot } from 'react-dom/client'\n" +
        "const page = async () => ({ Component: (await import('../features/members/page.tsx')).Page })",
      'web/admin/features/members/page.tsx':
        "import 'a-table/styles.css'\nimport { rows } from './queries.ts'\nimport { Text } from '../../shared/text.tsx'\n" +
        'export const Page = () => <Text>{rows}</Text>',
      'web/admin/features/members/queries.ts': "import type { Row } from '../../shared/schema.ts'",
      'web/admin/shared/text.tsx': "import { useState } from 'react'\nexport const Text = () => <br />",
      'web/admin/shared/schema.ts': 'export type Row = string',
      'web/storefront/shared/api.ts': "import type { C } from '../../../sdk/src/storefront-answers.ts'",
      'extensions/customer-account/src/a.ts': "import { call } from '../../../web/storefront/shared/api.ts'",
      'extensions/customer-account/src/page.tsx': "import { render } from 'preact'\nimport { a } from './a.ts'",
      'src/plans/perks.ts': "import type { Perks } from './pricing/perks.ts'",
      'src/plans/pricing/perks.ts': 'export type Perks = { country: number }',
      'src/plans/pricing/a.ts': "import type { Perks } from './perks.ts'\n// process, Temporal",
      'src/plans/pricing/a.test.ts': "import { perksFrom } from '../perks.ts'\nimport 'node:test'"
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
  ...['src/sync/a.ts', 'src/churn/a.ts', 'src/imports/a.ts', 'src/http/rest/a.ts', 'src/demo/a.ts', 'src/app/a.ts'].map(
    (file) => [
      `what applies a plan, in ${file}`,
      { [file]: "import { applyPlans } from '#billing/apply-plans'" },
      `${file}:1 imports #billing/apply-plans: this door is open only to lifecycle, contracts`
    ]
  ),
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
    'the prices of members, from a part that has the plans themselves',
    { 'src/cli/a.ts': "import { priceCart } from '#plans/pricing'" },
    'src/cli/a.ts:1 imports #plans/pricing: this door is open only to mirror, http, sandbox'
  ],
  ...["'#kit/money'", "'../plan.ts'", "'./../plan.ts'", "'node:fs'", "'typebox'"].map((specifier) => [
    `anything from outside the folder that prices carts: ${specifier}`,
    { 'src/plans/pricing/a.ts': `import {} from ${specifier}` },
    `src/plans/pricing/a.ts:1 imports ${specifier.slice(1, -1)}: src/plans/pricing/ runs outside the service too, and imports only its own files`
  ]),
  ...[
    ['process', 'process.env.A'],
    ['Buffer', 'Buffer.from("a")'],
    ['Temporal', 'Temporal.Now.instant()'],
    ['Date', 'new Date()'],
    ['Intl', 'new Intl.NumberFormat()'],
    ['random', 'Math.random()'],
    ['toLocaleString', '(1).toLocaleString()'],
    ['async', 'async () => 1']
  ].map(([name, text]) => [
    `what is not everywhere, in the folder that prices carts: ${text}`,
    { 'src/plans/pricing/a.ts': `const a = ${text}` },
    `src/plans/pricing/a.ts:1 uses ${name}, which is not everywhere that src/plans/pricing/ runs`
  ]),
  ...["'../../src/money.ts'", "'../../web/storefront/cancel/steps.ts'"].map((specifier) => [
    `what the extension of customer accounts must not load: ${specifier}`,
    { 'extensions/customer-account/a.ts': `import {} from ${specifier}` },
    `extensions/customer-account/a.ts:1 imports ${specifier.slice(1, -1)}: the extension of customer accounts imports only its own files, web/storefront/shared/, sdk/src/storefront-answers.ts`
  ]),
  [
    'a package in the logic of the extension of customer accounts',
    { 'extensions/customer-account/src/a.ts': "import { render } from 'preact'" },
    'extensions/customer-account/src/a.ts:1 imports preact: its logic runs without packages'
  ],
  ...["'../../src/plans/pricing/perks.ts'", "'../../sdk/src/client.ts'", "'#kit/money'"].map((specifier) => [
    `what pages of shops must not load: ${specifier}`,
    { 'web/storefront/a.ts': `import {} from ${specifier}` },
    `web/storefront/a.ts:1 imports ${specifier.slice(1, -1)}: pages of shops import only files of web, src/plans/pricing/index.ts, sdk/src/storefront.ts, sdk/src/storefront-answers.ts, extensions/member-discounts/src/money.ts, extensions/member-discounts/src/plan-settings.ts`
  ]),
  [
    'a package, in a page of shops',
    { 'web/storefront/a.ts': "import { html } from 'lit'" },
    'web/storefront/a.ts:1 imports lit: pages of shops load no packages'
  ],
  [
    'one feature of the admin interface from another',
    { 'web/admin/features/members/page.tsx': "import { a } from '../orders/order.tsx'" },
    'web/admin/features/members/page.tsx:1 imports ../orders/order.tsx: features do not know each other: what two of them need is in shared'
  ],
  [
    'one feature of the admin interface from another, when it is needed',
    { 'web/admin/features/members/page.tsx': "const later = () => <Page>{import('../orders/order.tsx')}</Page>" },
    'web/admin/features/members/page.tsx:1 imports ../orders/order.tsx: features do not know each other: what two of them need is in shared'
  ],
  [
    'a feature from what all of them share',
    { 'web/admin/shared/ui/a.tsx': "import { a } from '../../features/members/queries.ts'" },
    'web/admin/shared/ui/a.tsx:1 imports ../../features/members/queries.ts: web/admin/shared does not know features'
  ],
  [
    'the frame of the admin interface from a feature',
    { 'web/admin/features/members/a.ts': "import { router } from '../../app/router.tsx'" },
    'web/admin/features/members/a.ts:1 imports ../../app/router.tsx: web/admin/features does not know app'
  ],
  [
    'a folder of the admin interface that is none',
    { 'web/admin/lib/a.ts': "import { a } from '../shared/a.ts'" },
    'web/admin/lib/a.ts:1 imports ../shared/a.ts: the folders of web/admin are shared, features, app'
  ],
  ...["'../../../../src/kit/money.ts'", "'../../../storefront/shared/api.ts'", "'#kit/money'"].map((specifier) => [
    `what the admin interface must not load: ${specifier}`,
    { 'web/admin/shared/format/a.ts': `import {} from ${specifier}` },
    `web/admin/shared/format/a.ts:1 imports ${specifier.slice(1, -1)}: the admin interface imports only its own files and packages`
  ]),
  [
    'the admin interface, in a page of shops',
    { 'web/storefront/a.ts': "import { a } from '../admin/shared/a.ts'" },
    'web/storefront/a.ts:1 imports ../admin/shared/a.ts: pages of shops know nothing of the admin interface'
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
    { 'src/app/engine-list.ts': "export { a } from '../billing/queries.ts'" },
    'src/app/engine-list.ts:1 imports ../billing/queries.ts: a module is entered by its door, #billing'
  ],
  [
    'a file of a module that defines no job, in the list of jobs',
    {
      'src/app/job-list.ts': "export { a } from '../billing/queries.ts'",
      'src/billing/queries.ts': "import { defineJob } from '#kit/jobs'"
    },
    'src/app/job-list.ts:1 imports ../billing/queries.ts: it declares no job'
  ],
  [
    'a job, outside the list of jobs',
    {
      'src/app/jobs.ts': "export { a } from '../billing/a.ts'",
      'src/billing/a.ts': 'export const a = defineJob(b, c)'
    },
    'src/app/jobs.ts:1 imports ../billing/a.ts: a module is entered by its door, #billing'
  ],
  [
    'a fact of another module, outside the table of public events',
    { 'src/webhooks/a.ts': "import { a } from '../billing/events/billing-failed.ts'" },
    'src/webhooks/a.ts:1 imports ../billing/events/billing-failed.ts: a module is entered by its door, #billing'
  ],
  [
    'what is no fact, in the table of public events',
    { 'src/webhooks/event-list.ts': "export { a as 'billing.a' } from '../billing/queries.ts'" },
    'src/webhooks/event-list.ts:1 imports ../billing/queries.ts: a module is entered by its door, #billing'
  ],
  [
    'a write into a table of http, from the part whose migration creates it',
    {
      'migrations/0001-kit.sql': 'create table rate_windows (store_id int);',
      'src/http/rate-limits/a.ts': 'sql`delete from rate_windows`',
      'src/kit/a.ts': 'sql`delete from rate_windows`'
    },
    'src/kit/a.ts:1 only http writes the table rate_windows'
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
  ...(
    [
      ['a comment before the specifier', "import { a } from /* why */ '#billing'"],
      ['no space before the specifier', "import{a}from'#billing'"],
      ['a second import on a line', "import '#stores'; import '#billing'"],
      ['a dynamic import with a comment', "await import(/* later */ '#billing')"],
      ['a dynamic import of a template', 'await import(`#billing`)'],
      ['a type of an import', "type A = import('#billing').A"],
      ['a URL that is resolved', "import.meta.resolve('#billing')"]
    ] as const
  ).map(([what, text]) => [
    what,
    { 'src/members/a.ts': text },
    'src/members/a.ts:1 imports #billing: members comes before billing: record a fact instead'
  ]),
  ...["import('./' + name)", 'import(name)', 'createRequire(import.meta.url)', "require('./b.ts')"].map((text) => [
    `an import that is not written out: ${text}`,
    { 'src/members/a.ts': `const a = ${text}` },
    'src/members/a.ts:1 imports what is not written out'
  ]),
  ...['/srv/app/src/billing/index.ts', 'file:///srv/app/src/billing/index.ts'].map((path) => [
    `a path from the root: ${path}`,
    { 'src/members/a.ts': `import '${path}'` },
    `src/members/a.ts:1 imports ${path}: a file is named from where it is used, or by its door`
  ]),
  [
    'a URL of a source behind a door',
    { 'src/members/a.ts': "new Worker(new URL('../billing/queries.ts', import.meta.url))" },
    'src/members/a.ts:1 imports ../billing/queries.ts: a module is entered by its door, #billing'
  ],
  ...['#kit/postgres/pipeline', '../kit/postgres/pipeline.ts'].map((path) => [
    `a file behind a door of kit: ${path}`,
    { 'src/members/a.ts': `import '${path}'` },
    `src/members/a.ts:1 imports ${path}: a folder of kit is entered by its door, #kit/postgres`
  ]),
  [
    'a way around by kit',
    { 'src/members/a.ts': "import '#kit/../billing/queries'" },
    'src/members/a.ts:1 imports #kit/../billing/queries: it is no door'
  ],
  [
    'a module’s own door by its path',
    { 'src/members/a.ts': "import { a } from './index.ts'" },
    'src/members/a.ts:1 imports ./index.ts: a module does not use its own door'
  ],
  [
    'a file of the sandbox behind its door',
    { 'src/app/a.ts': "import '../../sandbox/engine.ts'" },
    'src/app/a.ts:1 imports ../../sandbox/engine.ts: the sandbox is entered by its door, sandbox/index.ts'
  ],
  [
    'the sandbox from the demo',
    { 'src/demo/a.ts': "import '../../sandbox/index.ts'" },
    'src/demo/a.ts:1 imports ../../sandbox/index.ts: demo does not know sandbox'
  ],
  [
    'a test’s helper, which may import everything',
    { 'src/members/a.ts': "import './b.test-helper.ts'", 'src/members/b.test-helper.ts': "import '#billing'" },
    'src/members/a.ts:1 imports ./b.test-helper.ts: this is for tests'
  ],
  [
    'a source of another kind',
    { 'src/members/a.js': '' },
    'src/members/a.js:0 is no .ts file, which is what the rules read'
  ],
  [
    'a fact of a later module, in the table of public events',
    { 'src/webhooks/event-list.ts': "export { ruleBroken as 'rule.broken' } from '../audit/events/rule-broken.ts'" },
    'src/webhooks/event-list.ts:1 imports ../audit/events/rule-broken.ts: a module is entered by its door, #audit'
  ],
  [
    'a file of a folder of facts that declares none, in the table of public events',
    {
      'src/webhooks/event-list.ts': "export { words as 'billing.words' } from '../billing/events/words.ts'",
      'src/billing/events/words.ts': ''
    },
    'src/webhooks/event-list.ts:1 imports ../billing/events/words.ts: it declares no fact with a webhook'
  ],
  ...['sandbox', 'src/kit', 'src/http/admin', 'src/billing/charging'].map((part) => [
    `folders of ${part} that import each other both ways`,
    {
      [`${part}/one/a.ts`]: "import '../two/b.ts'",
      [`${part}/two/deep/c.ts`]: "import '../../one/d.ts'",
      [`${part}/two/b.ts`]: '',
      [`${part}/one/d.ts`]: ''
    },
    `${part}/one:0 inner folders have an order, but these import each other: ${part}/one → ${part}/two → ${part}/one`
  ]),
  ...["export type * from './a.ts'", "export * as all from './a.ts'", "import * as all from './a.ts'"].map((text) => [
    `a door that exports all of a file: ${text}`,
    { 'src/billing/index.ts': text },
    'src/billing/index.ts:1 a door names what it exports'
  ]),
  ...[
    'export const retry = 1',
    'export async function retry() {}',
    'export class retry {}',
    'export type retry = 1',
    'export abstract class retry {}'
  ].map((text) => [
    `one name at two doors: ${text}`,
    { 'src/billing/index.ts': "export { retry } from './retry.ts'", 'src/lifecycle/index.ts': text },
    'src/lifecycle/index.ts:1 exports retry, as src/billing/index.ts does'
  ]),
  [
    'one name at a door of kit and at a module’s',
    { 'src/kit/jobs/index.ts': "export { a } from './a.ts'", 'src/billing/index.ts': "export { a } from './a.ts'" },
    'src/billing/index.ts:1 exports a, as src/kit/jobs/index.ts does'
  ],
  [
    'one name at a single file of kit and at a module’s door',
    { 'src/kit/ids.ts': 'export const a = 1', 'src/billing/index.ts': "export { a } from './a.ts'" },
    'src/billing/index.ts:1 exports a, as src/kit/ids.ts does'
  ],
  [
    'one name at two single files of kit',
    { 'src/kit/ids.ts': 'export const a = 1', 'src/kit/money.ts': 'export function a() {}' },
    'src/kit/money.ts:1 exports a, as src/kit/ids.ts does'
  ],
  ...[
    'sql`-- why\n update members set a = 1`',
    'sql`UPDATE MEMBERS SET a = 1`',
    'sql`update public.members set a = 1`',
    'sql`update "members" set a = 1`',
    'sql`merge into members m using (select 1) x on true when matched then delete`',
    'sql`truncate webhook_queue, members`',
    'sql`lock table members`',
    'sql`copy members from stdin`',
    'sql`select 1 into members`',
    'sql`select 1; delete from members`',
    "client.query('delete from members')",
    'client.query("delete from members")',
    "tx.run({ name: 'x', text: `delete from members`, values: [] })",
    "const quote = '`' // `\nsql`delete from members`"
  ].map((text) => [
    `a write into the table of another module: ${text}`,
    { ...MIGRATIONS, 'src/webhooks/a.ts': text.replace('-- why\n', '/* why */').replace('// `\n', ';') },
    'src/webhooks/a.ts:1 only members writes the table members'
  ]),
  ...[
    'sql`select 1 from members m, billing_attempts a`',
    'sql`with a as (table billing_attempts) select 1 from a`',
    'sql`select 1 from (billing_attempts a join members m on true)`',
    'sql`delete from members using stores, billing_attempts b`',
    'sql`values ((select 1 from "billing_attempts"))`',
    "sql`select $q$'$q$ from billing_attempts where a = 'x'`",
    'const ALSO = `left join billing_attempts b on true`',
    'sql`coalesce((select count(*) from billing_attempts), 0)`',
    'const COUNT = `coalesce((select count(*) from billing_attempts), 0) as count`'
  ].map((text) => [
    `a read of a table of a later module: ${text}`,
    { ...MIGRATIONS, 'src/members/a.ts': text },
    'src/members/a.ts:1 members comes before billing, and does not read its table billing_attempts'
  ]),
  [
    'a table whose name is put into the text',
    { ...MIGRATIONS, 'src/webhooks/a.ts': `tx.run({ name, text: \`update \${TABLE} set a = 1\`, values: [] })` },
    'src/webhooks/a.ts:1 names its table by a part put into the text: write it out'
  ],
  [
    'a migration that changes the table of another module',
    { ...MIGRATIONS, 'migrations/0017-billing.sql': 'update members set a = 1' },
    'migrations/0017-billing.sql:0 changes the table members of members'
  ],
  ...[
    'create index more on members (store_id)',
    'create trigger more after insert on members for each row execute function more()',
    'create policy more on members using (true)',
    'alter table members add column more int',
    'create table more partition of members default',
    'drop trigger more on members',
    'grant select on members to public'
  ].map((text) => [
    `a migration that changes the table of another module: ${text}`,
    { ...MIGRATIONS, 'migrations/0017-billing.sql': text },
    'migrations/0017-billing.sql:0 changes the table members of members'
  ]),
  [
    'a migration that references a table of a later module',
    {
      ...MIGRATIONS,
      'migrations/0017-members.sql':
        'create table more (store_id int references stores, a int references billing_attempts)'
    },
    'migrations/0017-members.sql:0 members comes before billing, and does not read its table billing_attempts'
  ],
  [
    'a migration that calls a function which writes tables of another module',
    { ...MIGRATIONS, ...FUNCTIONS, 'migrations/0017-billing.sql': 'select touch(7)' },
    'migrations/0017-billing.sql:0 calls touch() of members'
  ],
  ...['sql`select touch(7)`', 'sql`and touch_twice(7) is null`'].map((text) => [
    `a call of a function that writes tables of another module: ${text}`,
    { ...MIGRATIONS, ...FUNCTIONS, 'src/webhooks/a.ts': text },
    `src/webhooks/a.ts:1 only members calls ${text.match(/touch\w*/)![0]}(), which writes the table members`
  ]),
  [
    'a call of a function whose tables are put together',
    {
      ...MIGRATIONS,
      'migrations/functions/drop-day.sql':
        "create function drop_day() returns void language plpgsql as $$ begin execute format('drop table %I', 'members' || 1); end $$;",
      'src/stores/a.ts': 'sql`select drop_day()`'
    },
    'src/stores/a.ts:1 only members calls drop_day(), which writes the table members'
  ],
  [
    'a function that makes a trigger on the table of another module',
    {
      ...MIGRATIONS,
      'migrations/functions/touch.sql': `${FUNCTIONS['migrations/functions/touch.sql']}
        create trigger touch after insert on billing_attempts for each row execute function touch()`
    },
    'migrations/functions/touch.sql:0 a function writes tables of one module, and these are of billing and members'
  ],
  [
    'a function that writes tables of two modules',
    {
      ...MIGRATIONS,
      'migrations/functions/touch.sql':
        'create or replace function touch() returns void language plpgsql as $$ begin update members set a = 1; delete from billing_attempts; end $$;'
    },
    'migrations/functions/touch.sql:0 a function writes tables of one module, and these are of members and billing'
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

/** What changes one side of a subscription alone, or does what a plan says, and the only door that has it. */
const GUARDED: Record<string, string[]> = {
  'src/subscriptions/transitions/for-billing.ts': [
    'applyTransitions',
    'claimDueCycles',
    'claimNextCycle',
    'endGraces',
    'markDueNow',
    'reopenCycles',
    'resumeEndedPauses',
    'settleCycles'
  ],
  'src/billing/settling/apply-plans.ts': ['applyPlans']
}

test('what changes one side of a subscription, or does what a plan says, is at no other door', async () => {
  const tree = await readTree(fileURLToPath(new URL('..', import.meta.url)))
  const doors = [...tree].filter(([file]) => /^src\/[a-z]+\/index\.ts$/.test(file) || isSecondDoor(file))
  for (const [own, names] of Object.entries(GUARDED)) {
    for (const name of names) {
      const holders = doors.filter(([, source]) => exportsOf(source).some((exported) => exported.name === name))
      assert.deepEqual(
        holders.map(([file]) => file),
        [own],
        name
      )
    }
  }
})

const isSecondDoor = (path: string) => Object.values(SECOND_DOORS).some(({ file }) => file === path)
