import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testDatabase } from '../../../test/database.ts'
import { row, sql, text } from './index.ts'

const { db } = await testDatabase()

/** A list as PostgreSQL prints it, sent in a transaction and on a pipelined connection. */
async function asText(list: unknown[], cast: string): Promise<string> {
  const statement = { name: `as_${cast}`, text: `select $1::${cast}::text as printed`, values: [list] }
  const Printed = row({ printed: text })
  const { printed } = await db.inInstallation((tx) => tx.one(Printed, statement))
  assert.equal((await db.direct.one(Printed, statement)).printed, printed)
  return printed
}

const at = Temporal.Instant.from('2026-01-31T15:00:00.123456Z')
const lists: [list: unknown[], cast: string, printed: string][] = [
  [[], 'int[]', '{}'],
  [[], 'text[]', '{}'],
  [[], 'timestamptz[]', '{}'],
  [[1, -2, null, -0, Number.MAX_SAFE_INTEGER], 'bigint[]', '{1,-2,NULL,0,9007199254740991}'],
  [[1, undefined, 3], 'int[]', '{1,NULL,3}'],
  [[undefined], 'int[]', '{NULL}'],
  [[null, null], 'text[]', '{NULL,NULL}'],
  [[null, null], 'timestamptz[]', '{NULL,NULL}'],
  [[0.1, 1e21, 5e-324, NaN, Infinity, -Infinity], 'float8[]', '{0.1,1e+21,5e-324,NaN,Infinity,-Infinity}'],
  [[1.5, 1e21], 'numeric[]', '{1.5,1000000000000000000000}'],
  [[true, null, false], 'boolean[]', '{t,NULL,f}'],
  [[1, true, null], 'text[]', '{1,true,NULL}'],
  [[1, 'NULL', 'a,"b\\', '', null], 'text[]', '{1,"NULL","a,\\"b\\\\","",NULL}'],
  [[9007199254740993n, 1], 'bigint[]', '{9007199254740993,1}'],
  [[null, at, null], 'text[]', '{NULL,2026-01-31T15:00:00.123456Z,NULL}'],
  [[null, Temporal.PlainDate.from('2026-01-31')], 'date[]', '{NULL,2026-01-31}'],
  [[null, Buffer.from('\0"\\'), Buffer.alloc(0)], 'bytea[]', '{NULL,"\\\\x00225c","\\\\x"}'],
  [[null, { a: [1, '"'] }, 1], 'jsonb[]', '{NULL,"{\\"a\\": [1, \\"\\\\\\"\\"]}",1}'],
  [
    [
      [1, 2],
      [3, null]
    ],
    'int[]',
    '{{1,2},{3,NULL}}'
  ],
  [[[at.toString()], [at]], 'text[]', '{{2026-01-31T15:00:00.123456Z},{2026-01-31T15:00:00.123456Z}}']
]

for (const [list, cast, printed] of lists) {
  test(`a list of ${cast} arrives as ${printed}`, async () => assert.equal(await asText(list, cast), printed))
}

test('a value that is not an integer is refused in a list of integers', async () => {
  for (const wrong of [NaN, Infinity, 0.5, 1e21, true]) {
    await assert.rejects(
      db.inInstallation((tx) => tx.run(sql`select ${[1, wrong]}::int[]`)),
      /invalid input syntax for type integer/
    )
  }
})
