import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { loadModule } from 'libpg-query'
import { sqlBreaches } from '../scripts/check-sql.ts'
import { schemaOf } from '../scripts/sql-rules/schema.ts'
import { statementsIn } from '../scripts/sql-rules/statements.ts'

before(() => loadModule())

const SCHEMA = `
  create table stores (store_id bigint primary key);
  create table members (store_id bigint, id bigint, plan_id bigint, seen_at timestamptz, primary key (store_id, id));
  create table plans (store_id bigint, id bigint, primary key (store_id, id));
  create function plan_name(store bigint, plan bigint) returns text language sql stable as $$
    select 'x' from plans where store_id = store and id = plan $$;
  create function recount(store bigint) returns void language plpgsql as $$ begin delete from plans where store_id = store; end $$;
  create function shout(word text) returns text language sql immutable as $$ select upper(word) $$;
  create function roll() returns int language sql as $$ select 4 $$;
  create function on_change() returns trigger language plpgsql as $$ begin insert into plans default values; end $$;`

const source = (text: string) => `export function lock(ctx) {\n  return ctx.tx.many(Row, sql\`${text}\`)\n}`

/** The problems of one statement, given as source code. */
const problems = (text: string, exceptions: Parameters<typeof sqlBreaches>[2] = []) =>
  sqlBreaches(statementsIn('src/members/queries.ts', source(text)), schemaOf([SCHEMA]), exceptions).map(
    ({ rule, reason }) => `${rule}: ${reason}`
  )

test('a statement is found with its position, and each placeholder is a parameter', () => {
  const found = statementsIn(
    'src/members/queries.ts',
    `const ROW = row({})
async function find(ctx) {
  sql\`
    select \${f({ a: \`\${b}\` }, "}")} as x, '\\\\d', \${c}\`
}
const next = directSql<[number]>('next', \`select $1\`)`
  )
  assert.deepEqual(found, [
    { file: 'src/members/queries.ts', line: 3, owner: 'find', text: "select $1 as x, '\\d', $2" },
    { file: 'src/members/queries.ts', line: 6, owner: 'next', text: 'select $1' }
  ])
})

for (const text of [
  'select id from members where store_id = $1 and id = $1 for update',
  'select m.id from members m join plans p on p.store_id = $1::bigint and p.id = m.plan_id where m.store_id = $1',
  'with due as (select id from members where store_id = $1) select * from due join stores using (store_id)',
  'update members m set seen_at = $1 from unnest($1::bigint[]) as u(id) where m.store_id = $1 and m.id = u.id',
  'insert into members (store_id, id) select $1, x.id from (select id from plans where store_id = $1 offset 0) x returning id',
  'insert into members (store_id, id) values ($1, $1), ($1, $1) on conflict (store_id, id) do update set seen_at = excluded.seen_at',
  'select shout($1) from members where store_id = $1',
  'select recount($1)',
  'select clock_timestamp() from members where store_id = $1'
]) {
  test(`allowed: ${text}`, () => assert.deepEqual(problems(text), []))
}

for (const [text, ...expected] of [
  ['select id from members where id = $1', '1: members has no store_id = $n of its own'],
  ['select m.id from members m, plans where m.store_id = $1', '1: plans has no store_id = $n of its own'],
  [
    'select m.id from members m join plans p on p.store_id = m.store_id and p.id = m.plan_id where m.store_id = $1',
    '1: plans p has no store_id = $n of its own'
  ],
  ['select id from members where store_id = any($1)', '1: members has no store_id = $n of its own'],
  ['select id from members where store_id = $1 or id = 1', '1: members has no store_id = $n of its own'],
  [
    'select 1 from members m where m.store_id = $1 and exists (select from plans p where p.id = m.plan_id)',
    '1: plans p has no store_id = $n of its own'
  ],
  ['delete from members where id = $1', '1: members has no store_id = $n of its own'],
  [
    'insert into members (store_id, id) select x.store_id, 1 from (select store_id from plans where store_id = $1 offset 0) x returning id',
    '1: members is written without store_id as a parameter'
  ],
  ['insert into members (id) values ($1)', '1: members is written without store_id as a parameter'],
  [
    'select id from members for update skip locked',
    '1: members has no store_id = $n of its own',
    '5: members is locked for more than one store'
  ],
  [
    'update members set seen_at = clock_timestamp() where store_id = $1',
    '2: clock_timestamp() is volatile: give a parameter or statement_timestamp()'
  ],
  [
    'delete from members where store_id = $1 and id < roll()',
    '2: roll() is volatile: give a parameter or statement_timestamp()'
  ],
  [
    'update members set seen_at = coalesce(seen_at, statement_timestamp()) where store_id = $1',
    '2: statement_timestamp() in CASE, COALESCE or DO UPDATE: give a parameter'
  ],
  [
    'insert into members (store_id, id) values ($1, 1) on conflict (store_id, id) do update set seen_at = now()',
    '2: now() in CASE, COALESCE or DO UPDATE: give a parameter'
  ],
  [
    'insert into members (store_id, id) select $1, u from unnest($1::bigint[]) u',
    '3: insert … select into members has neither ON CONFLICT nor RETURNING'
  ],
  [
    'insert into members (store_id, id) select $1, p.id from plans p where p.store_id = $1 returning id',
    '3: insert … select reads plans outside a subselect with offset 0'
  ],
  [
    'select plan_name($1, m.plan_id) from members m where m.store_id = $1',
    '4: plan_name() reads tables inside a statement that reads tables',
    '4: plan_name() reads tables and is not plpgsql'
  ],
  ["select set_config('a', $1, true)", '8: set_config(): the setting of row-level security is SET LOCAL']
] as [string, ...string[]][]) {
  test(`found: ${text}`, () => assert.deepEqual(problems(text), expected))
}

test('an exception covers only its statement and rules, and an unused one is reported', () => {
  const exception = { file: 'src/members/queries.ts', owner: 'lock', rules: [1], reason: 'all stores' }
  assert.deepEqual(problems('select id from members', [exception]), [])
  assert.deepEqual(problems('select id from members for update', [exception]), [
    '5: members is locked for more than one store'
  ])
  assert.deepEqual(problems('select 1', [exception]), ['1: is listed as an exception, which no statement needs'])
})
