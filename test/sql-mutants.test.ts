// biome-ignore-all lint/suspicious/noTemplateCurlyInString: sources in strings
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { linesOf, mutatedText } from '../mutation/mutant.ts'
import { isParsed, sqlMutantsOf, sqlMutantsOfFunctions, withSqlMutants } from '../mutation/sql/texts.ts'
import * as warm from '../mutation/warm/node-test.ts'

/** What the statement becomes by each of its mutants, by the kind of change. */
function mutantsOf(statement: string): string[] {
  const source = `const found = sql\`${statement}\`\n`
  return sqlMutantsOf('some.ts', source).mutants.map(
    (m) =>
      `${m.change}: ${linesOf(source, m)
        .to.replace(/^const found = sql`|`$/g, '')
        .trim()}`
  )
}

test('each condition of a statement is dropped, but not the one that binds it to its store', () => {
  assert.deepEqual(mutantsOf('select id from t where store_id = ${a} and n <= ${b} and x is null'), [
    'condition dropped: select id from t where store_id = ${a} and x is null',
    '<= to <: select id from t where store_id = ${a} and n < ${b} and x is null',
    'condition dropped: select id from t where store_id = ${a} and n <= ${b}',
    'and to or: select id from t where store_id = ${a} and n <= ${b} or x is null',
    'is null to its opposite: select id from t where store_id = ${a} and n <= ${b} and x is not null'
  ])
})

test('locks, limits and orders are dropped, turned round and moved by one', () => {
  assert.deepEqual(
    mutantsOf('select id from t where store_id = ${s} order by a desc, b limit ${n} for update skip locked'),
    [
      'lock dropped: select id from t where store_id = ${s} order by a desc, b limit ${n}',
      'skip locked dropped: select id from t where store_id = ${s} order by a desc, b limit ${n} for update',
      'limit dropped: select id from t where store_id = ${s} order by a desc, b for update skip locked',
      'limit one more: select id from t where store_id = ${s} order by a desc, b limit ${n} + 1 for update skip locked',
      'limit one less: select id from t where store_id = ${s} order by a desc, b limit ${n} - 1 for update skip locked',
      'order dropped: select id from t where store_id = ${s} limit ${n} for update skip locked',
      'order reversed: select id from t where store_id = ${s} order by a asc, b limit ${n} for update skip locked',
      'order reversed: select id from t where store_id = ${s} order by a desc, b desc limit ${n} for update skip locked'
    ]
  )
})

test('what a change sets is no condition; its amounts, defaults and conflicts are changed', () => {
  assert.deepEqual(
    mutantsOf('update t set n = n + 1, at = coalesce(at, ${now}), m = least(m, 3) where store_id = ${s}'),
    [
      'sign of a term: update t set n = n - 1, at = coalesce(at, ${now}), m = least(m, 3) where store_id = ${s}',
      'coalesce without its default: update t set n = n + 1, at = coalesce(at), m = least(m, 3) where store_id = ${s}',
      'coalesce without its value: update t set n = n + 1, at = coalesce( ${now}), m = least(m, 3) where store_id = ${s}',
      'least to greatest: update t set n = n + 1, at = coalesce(at, ${now}), m = greatest(m, 3) where store_id = ${s}'
    ]
  )
  assert.deepEqual(mutantsOf('insert into t (a) values (${a}) on conflict (a) do update set b = 1 returning a'), [
    'on conflict dropped: insert into t (a) values (${a}) returning a',
    'on conflict does nothing: insert into t (a) values (${a}) on conflict (a) do nothing returning a'
  ])
})

test('alternatives, lists and negations', () => {
  assert.deepEqual(
    mutantsOf("select 1 from t where store_id = ${s} and (a between 1 and 2 or k in ('x', 'y')) and not f"),
    [
      'condition dropped: select 1 from t where store_id = ${s} and not f',
      'alternative dropped: select 1 from t where store_id = ${s} and (a between 1 and 2 ) and not f',
      "alternative dropped: select 1 from t where store_id = ${s} and ( k in ('x', 'y')) and not f",
      "condition negated: select 1 from t where store_id = ${s} and (not (a between 1 and 2) or k in ('x', 'y')) and not f",
      "or to and: select 1 from t where store_id = ${s} and (a between 1 and 2 and k in ('x', 'y')) and not f",
      "in to not in: select 1 from t where store_id = ${s} and (a between 1 and 2 or k not in ('x', 'y')) and not f",
      "value dropped from a list: select 1 from t where store_id = ${s} and (a between 1 and 2 or k in ( 'y')) and not f",
      "value dropped from a list: select 1 from t where store_id = ${s} and (a between 1 and 2 or k in ('x')) and not f",
      "condition dropped: select 1 from t where store_id = ${s} and (a between 1 and 2 or k in ('x', 'y'))",
      "and to or: select 1 from t where store_id = ${s} and (a between 1 and 2 or k in ('x', 'y')) or not f",
      "not dropped: select 1 from t where store_id = ${s} and (a between 1 and 2 or k in ('x', 'y')) and f"
    ]
  )
})

test('texts of messages stay as they are', () => {
  assert.deepEqual(mutantsOf("select coalesce(a, 'none') || ' of ' || b as message from t where store_id = ${s}"), [])
})

test('every mutant of the statements that charge, claim and keep accounts parses', async () => {
  const files = ['billing/charging/claims.ts', 'subscriptions/lock-subscriptions.ts', 'credits/queries.ts']
  for (const file of files) {
    const source = await readFile(new URL(`../src/${file}`, import.meta.url), 'utf8')
    const { mutants, unread } = sqlMutantsOf(file, source)
    assert.deepEqual(unread, [])
    assert.ok(mutants.length > 5, `${file} has ${mutants.length} mutants`)
    for (const mutant of mutants) {
      const text = mutatedText(source, mutant)
      const [begin, end] = [text.lastIndexOf('`', mutant.start - 1) + 1, text.indexOf('`', mutant.start)]
      const statement = text.slice(begin, end).replace(/\$\{(?:[^{}]|\{[^{}]*\})*\}/g, '$1')
      assert.ok(isParsed(statement), `${file}: ${mutant.change} at ${mutant.start}: ${statement}`)
    }
  }
})

test('every mutant of a function parses', async () => {
  const source = await readFile(new URL('../migrations/functions/cycle-declined.sql', import.meta.url), 'utf8')
  const { mutants } = sqlMutantsOfFunctions('cycle-declined.sql', source)
  assert.ok(mutants.length > 10)
  assert.ok(mutants.every((mutant) => isParsed(mutatedText(source, mutant))))
})

test('a switched source is itself with all switches off, and each mutant with its own on, also within a part of a statement', () => {
  const sql = (texts: TemplateStringsArray, ...holes: unknown[]) => String.raw(texts, ...holes)
  const source = 'sql`select a from t where a > ${n}${n === 1 ? sql` and b is null` : sql``} limit 5`'
  const mutants = sqlMutantsOf('some.ts', source).mutants.map((mutant, i) => ({ id: `m${i}`, mutant }))
  const evaluate = (text: string, on: string | null, n: number): string =>
    new Function('sql', '__mutant', 'n', `return ${text}`)(sql, (id: string) => id === on, n)
  const switched = withSqlMutants(source, mutants)
  assert.ok(mutants.length > 5)
  for (const n of [1, 2]) {
    assert.equal(evaluate(switched, null, n), evaluate(source, null, n))
    for (const { id, mutant } of mutants) {
      assert.equal(evaluate(switched, id, n), evaluate(mutatedText(source, mutant), null, n), mutant.change)
    }
  }
})

test('a warm process runs the tests of a file again and again, up to the first failure, or only some of them', async () => {
  const log: string[] = []
  const load = (failing: string) => async () => {
    warm.after(() => log.push('end'))
    warm.test('one', (t) => {
      t.after(() => log.push('after one'))
      log.push('one')
    })
    warm.test('left out', { skip: true }, () => log.push('left out'))
    for (const name of ['two', 'three']) {
      warm.test(name, async () => {
        log.push(name)
        if (name === failing) throw new Error(`no ${name}`)
      })
    }
  }
  const run = async (failing: string, only: number[] | null = null) => {
    log.length = 0
    const { error, isClean } = await warm.runTests(load(failing), only, () => {})
    return [error && /no \w+/.exec(error)![0], isClean, ...log]
  }
  assert.deepEqual(await run(''), [null, true, 'one', 'after one', 'two', 'three', 'end'])
  assert.deepEqual(await run('two'), ['no two', true, 'one', 'after one', 'two', 'end'])
  assert.deepEqual(await run('two', [0, 2]), [null, true, 'one', 'after one', 'three', 'end'])
})

test('a failure that nobody caught is one of the test that runs; after it, the process is not clean', async () => {
  const uncaught = await warm.runTests(
    async () => void warm.test('x', () => warm.failUncaught(new Error('late'))),
    null,
    () => {}
  )
  assert.match(uncaught.error!, /late/)
  const unclean = await warm.runTests(
    async () => {
      warm.after(() => Promise.reject(new Error('cannot close')))
      warm.test('x', () => {})
    },
    null,
    () => {}
  )
  assert.equal(unclean.isClean, false)
})
