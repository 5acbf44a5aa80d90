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
  create function spread(id bigint) returns bigint language sql stable as $$ select id * 2 $$;
  create function roll() returns int language sql as $$ select 4 $$;
  create function again(store bigint) returns void language plpgsql as $$ begin perform recount(store); end $$;
  create view seen as select * from members where seen_at is not null;
  create function on_change() returns trigger language plpgsql as $$ begin insert into plans default values; end $$;`

const hole = (name: string) => `\${${name}}`

/** Source code with the statement; of its parameters `$1` is `${storeId}` and `$2` is `${other}`. */
const source = (text: string) => {
  const holes = text.replaceAll('$1', hole('storeId')).replaceAll('$2', hole('other'))
  return `export function lock(ctx) {\n  return ctx.tx.many(Row, sql\`${holes}\`)\n}`
}

/** The problems of one statement, given as source code. */
const problems = (text: string, exceptions: Parameters<typeof sqlBreaches>[2] = []) =>
  sqlBreaches(statementsIn('src/members/queries.ts', source(text)), schemaOf([SCHEMA]), exceptions).map(
    ({ rule, reason }) => `${rule}: ${reason}`
  )

test('a statement is found with its position and its parameters, however it is written', () => {
  const found = statementsIn(
    'src/members/queries.ts',
    `const ROW = row({}) // a lone \` here
async function find(ctx) {
  sql\`
    select \${f({ a: \`\${b}\` }, "}")} as x, '\\\\d', \${c}\`
}
const next = directSql<[number]>("next", 'select $1')
const due = dueQuery('due', \`select \${COLUMNS} from members\`)
const text = { name: \`x\`, text: \`-- why
  delete from members\` }
session.query("lock table members")
throw new Error('A member was removed from members')`
  )
  assert.deepEqual(
    found.map(({ line, owner, text, parameters, isAcross }) => [line, owner, text, parameters, isAcross]),
    [
      [3, 'find', "select $1 as x, '\\d', $2", [`f({ a: \`${hole('b')}\` }, "}")`, 'c'], false],
      [6, 'next', 'select $1', [], false],
      [7, 'due', 'select $1001 from members', [], true],
      [8, 'text', '-- why\n  delete from members', [], false],
      [10, 'text', 'lock table members', [], false]
    ]
  )
})

for (const text of [
  'select id from members where store_id = $1 and id = $1 for update',
  'select m.id from members m join plans p on p.store_id = $1::bigint and p.id = m.plan_id where m.store_id = $1',
  'with due as (select id from members where store_id = $1) select * from due join stores using (store_id)',
  'update members m set seen_at = $1 from unnest($1::bigint[]) as u(id) where m.store_id = $1 and m.id = u.id',
  'insert into members (store_id, id) select $1, x.id from (select id from plans where store_id = $1 offset 0) x returning id',
  'insert into members (store_id, id) values ($1, $1), ($1, $1) on conflict (store_id, id) do update set seen_at = excluded.seen_at',
  'update members set plan_id = coalesce($1, plan_id), id = case when id > 1 then length(shout($1)) end where store_id = $1',
  'select shout($1) from members where store_id = $1',
  'select 1 from sandbox.members',
  'select recount($1) as count',
  'with x as (select id from members where store_id = $1 union select id from plans where store_id = $1) select id from x',
  'select m.id from members m left join plans p on p.store_id = $1 and p.id = m.plan_id where m.store_id = $1',
  "set local perennial.store_id = '7'",
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
    'update members set id = case when id > 1 then spread(id) end where store_id = $1',
    '2: spread() in CASE, COALESCE or DO UPDATE: give a parameter'
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
  ...[
    'insert into members (store_id, id) select $1, x.id from (select id from plans where store_id = $1) x returning id',
    'insert into members (store_id, id) select $1, (select max(id) from plans where store_id = $1) returning id',
    'insert into members (store_id, id) values ($1, (select max(id) from plans where store_id = $1))',
    'with x as (select 1 as id) insert into members (store_id, id) select $1, y.id from x cross join lateral (select id from plans where store_id = $1) y returning id'
  ].map((text) => [text, '3: insert … select reads plans outside a subselect with offset 0']),
  [
    'select plan_name($1, m.plan_id) from members m where m.store_id = $1',
    '4: plan_name() reads tables: it is called alone, by select plan_name(…)',
    '4: plan_name() reads tables and is not plpgsql'
  ],
  ...[
    'select * from recount($1)',
    'select recount($1), shout($1)',
    'select recount($1)::text || 1',
    'insert into stores (store_id) values (recount($1))',
    'select again($1) from stores where store_id = $1'
  ].map((text) => {
    const [name] = /again|recount/.exec(text)!
    return [text, `4: ${name}() reads tables: it is called alone, by select ${name}(…)`]
  }),
  ['select recount(7)', '4: recount() reads tables: its first argument is the store, a parameter'],
  [
    'select id from members where store_id = $1 union all select id from plans',
    '1: plans has no store_id = $n of its own'
  ],
  ['with members as (select id from members) select id from members', '1: members has no store_id = $n of its own'],
  [
    'select 1 from members m left join plans p on m.store_id = $1 and p.store_id = $1',
    '1: members m has no store_id = $n of its own'
  ],
  [
    'select 1 from members m full join plans p on m.store_id = $1 and p.store_id = $1 where p.store_id = $1',
    '1: members m has no store_id = $n of its own'
  ],
  [
    `select 1 from members m join plans p on p.store_id = $1 where m.store_id = ${hole('otherStore')}`,
    '1: names more than one store: otherStore and storeId'
  ],
  ['select 1 from members where store_id = $2', '1: store_id is given other, which does not say that it is a store'],
  ['select 1 from public.members', '1: members has no store_id = $n of its own'],
  ['select 1 from members_20260101', '1: members_20260101 has no store_id = $n of its own'],
  ['select 1 from seen', '1: seen has no store_id = $n of its own'],
  ...[
    ['merge into stores s using (select 1 as id) x on s.store_id = $1 when matched then delete', 'Merge'],
    ['truncate members', 'Truncate'],
    ['lock table members', 'Lock'],
    ['copy members to stdout', 'Copy'],
    ['do $x$ begin delete from members; end $x$', 'Do']
  ].map(([text, kind]) => [text!, `9: ${kind}: neither a plain read nor a plain change of rows`]),
  [
    'delete from plans p where not exists (select from members m where m.store_id = p.store_id)',
    '1: plans p has no store_id = $n of its own',
    '1: members m has no store_id = $n of its own',
    '9: over all stores, and neither one plain read nor a plain change of one table'
  ],
  ['delete from stores', '9: a delete of every row of stores'],
  ['select 1 from stores for update', '5: stores is locked for more than one store'],
  ...['uuidv7', 'random_normal', 'currval', 'gen_random_bytes'].map((name) => [
    `update members set id = ${name}() where store_id = $1`,
    `2: ${name}() is volatile: give a parameter or statement_timestamp()`
  ]),
  ...[
    ['coalesce(seen_at, current_timestamp)', 'current_timestamp'],
    ['case when true then current_date end', 'current_date'],
    ['case when true then localtimestamp end', 'localtimestamp'],
    ["coalesce(seen_at, 'now'::timestamptz)", "'now'"]
  ].map(([value, name]) => [
    `update members set seen_at = ${value} where store_id = $1`,
    `2: ${name} in CASE, COALESCE or DO UPDATE: give a parameter`
  ]),
  ...['pg_current_snapshot()', 'pg_current_xact_id()', 'txid_current()', 'xmin'].map((name) => [
    `select ${name} from members where store_id = $1`,
    `7: ${name}: each machine has its own transaction ids and snapshots`
  ]),
  ["set perennial.store_id = '1'", '8: the store is set without LOCAL, and stays set for the next transaction'],
  [
    "set local perennial.store_id = '1'; select 2",
    '8: the store is set beside other statements: it is alone in its message'
  ],
  ["select set_config('a', $1, true)", '8: set_config(): the setting of row-level security is SET LOCAL']
] as [string, ...string[]][]) {
  test(`found: ${text}`, () => assert.deepEqual(problems(text), expected))
}

/** The problems of a declared statement, given as source code. */
const problemsIn = (text: string) =>
  sqlBreaches(statementsIn('src/a.ts', text), schemaOf([SCHEMA]), []).map(({ rule, reason }) => `${rule}: ${reason}`)

test('a read over many stores only reads', () => {
  const found = (text: string) => problemsIn(`const a = dueQuery('a', \`${text}\`)`)
  assert.deepEqual(found('select store_id from members'), [])
  assert.deepEqual(found('select store_id from members for update'), [
    '9: a statement over many stores only reads, and locks nothing'
  ])
})

test('a read over many stores joins within a store only', () => {
  const found = (text: string) => problemsIn(`const a = dueQuery<[x: string]>('a', \`${text}\`)`)
  const stores = 'unnest($1::bigint[]) as s(store_id)'
  for (const joined of [
    `select m.store_id from ${stores} join members m on m.store_id = s.store_id`,
    `select m.store_id from ${stores}, members m, plans p where s.store_id = m.store_id and p.store_id = m.store_id`,
    `with s as (select store_id from ${stores}) select 1 from s, members m where m.store_id = s.store_id`,
    `select 1 from ${stores} where exists (select from members m where m.store_id = s.store_id)`
  ]) {
    assert.deepEqual(found(joined), [])
  }
  for (const apart of [
    `select m.store_id from ${stores}, members m where m.id > 7`,
    `select 1 from ${stores} join members m on m.id = s.store_id`,
    `select 1 from ${stores} where exists (select from members m where m.store_id = m.store_id)`,
    `select 1 from ${stores} left join members m on true where s.store_id = 1`
  ]) {
    assert.deepEqual(found(apart), ['9: members m is not joined by its store_id'])
  }
  assert.deepEqual(found(`select 1 from ${stores}, members m, plans p where p.store_id = m.store_id`), [
    '9: members m is not joined by its store_id',
    '9: plans p is not joined by its store_id'
  ])
})

test('what is declared beside a read over many stores is for one store', () => {
  const [first, second] = statementsIn(
    'src/a.ts',
    "const a = dueQuery('a', 'select 1'); const b = directSql<[number]>('b', 'select 2')"
  )
  assert.deepEqual([first!.isAcross, second!.isAcross], [true, false])
})

test('a release of leases needs no exception, and does nothing else', () => {
  const found = (text: string, type = ': LeaseRelease') =>
    problemsIn(`export const release${type} = (owners) => sql\`${text.replace('$1', hole('owners'))}\``)
  const release = 'update members set lease_owner = null, leased_until = null where lease_owner = any($1::bigint[])'
  assert.deepEqual(found(release), [])
  assert.deepEqual(found(`${release} and seen_at is not null`), [])
  assert.deepEqual(found(release, ''), ['1: members has no store_id = $n of its own'])
  for (const more of [
    release.replace('set ', 'set seen_at = null, '),
    release.replace('leased_until = null', 'leased_until = statement_timestamp()'),
    release.replace('where', 'from plans where'),
    release.replace(/ where.*/, ''),
    release.replace(/where .*/, 'where seen_at is not null'),
    `${release} or true`,
    `${release} or seen_at is null`,
    `${release} and true`,
    'delete from members where lease_owner = any($1)'
  ]) {
    assert.deepEqual(found(more), [
      '9: a release of leases only ends those of the owners that it is given, in one table'
    ])
  }
})

test('an exception covers only its statement and rules, and an unused one is reported', () => {
  const exception = { file: 'src/members/queries.ts', owner: 'lock', rules: [1], reason: 'all stores' }
  assert.deepEqual(problems('select id from members', [exception]), [])
  assert.deepEqual(problems('select id from members for update', [exception]), [
    '5: members is locked for more than one store'
  ])
  assert.deepEqual(problems('select 1', [exception]), ['1: is listed as an exception, which no statement needs'])
})
