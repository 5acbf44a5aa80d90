import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bool, row, sql, text } from '#kit/postgres'
import { testDatabase } from '../../../test/database.ts'
import { documentEraser } from './json-eraser.ts'
import { certainlyAbout, identifiersOf, namedIn, type Person, textEraser } from './person.ts'

const { db } = await testDatabase()
const nobody: Person = {
  memberIds: [],
  customerIds: [],
  subscriptionIds: [],
  orderNumbers: [],
  emails: [],
  phones: [],
  names: []
}
const ada: Person = {
  ...nobody,
  memberIds: [7],
  customerIds: ['7064055069301'],
  subscriptionIds: [9],
  emails: ['ada+x@example.com'],
  phones: ['+1 (555) 625-1199'],
  names: ['Ada', 'Ito-Smith', 'Ada Ito-Smith']
}

/** What PostgreSQL makes of it: whether it is certainly about her, and the text without her. */
const inDatabase = (given: string, person = ada) =>
  db.inInstallation((tx) =>
    tx.one(
      row({ certain: bool, erased: text }),
      sql`
      select ${given}::text ~* ${certainlyAbout(person)} as certain,
             regexp_replace(${given}::text, ${identifiersOf(person)}, 'erased', 'gi') as erased`
    )
  )

for (const [given, certain, erased] of [
  ['To ADA+X@example.com: hello', true, 'To erased: hello'],
  ['https://x.example/?email=ada%2Bx%40example.com&a=1', true, 'https://x.example/?email=erased&a=1'],
  ['nada+x@example.com', false, 'nada+x@example.com'],
  ['call 555-625-1199', true, 'call erased'],
  ['call +15556251199.', true, 'call +erased.'],
  ['order 155562511990', false, 'order 155562511990'],
  ['gid://shopify/Customer/7064055069301', true, 'gid://shopify/Customer/erased'],
  ['number 17064055069301', false, 'number 17064055069301'],
  ['Dear Ada Ito-Smith, dear ada', false, 'Dear erased, dear erased'],
  ['Adam from Canada', false, 'Adam from Canada'],
  ['code ADA10', false, 'code erased10']
] as const) {
  test(`"${given}" becomes "${erased}" in PostgreSQL and here`, async () => {
    assert.deepEqual(await inDatabase(given), { certain, erased })
    assert.equal(textEraser(ada)(given), erased)
  })
}

test('of a person of whom nothing is known nothing is erased', async () => {
  assert.deepEqual(await inDatabase('anything a', nobody), { certain: false, erased: 'anything a' })
  assert.equal(textEraser(nobody)('anything a'), 'anything a')
})

test('JSON of ours is about her by public ids, and about nobody whose id only begins like hers', async () => {
  for (const [given, isNamed] of [
    ['{"id":"cust_7"}', true],
    ['{"member_id":"mem_7"}', true],
    ['{"id":"sub_9"}', true],
    ['{"id":"cust_77"}', false],
    ['{"id":"sub_7"}', false]
  ] as const) {
    const { found } = await db.inInstallation((tx) =>
      tx.one(row({ found: bool }), sql`select ${given}::text ~* ${namedIn(ada)} as found`)
    )
    assert.equal(found, isNamed, given)
  }
})

test('a document loses what is about the person, keeps its shape, and what is about another customer', () => {
  const erase = documentEraser(ada)
  const document = {
    id: 'mem_7',
    customer: {
      id: 'cust_7',
      shopify_id: 'gid://shopify/Customer/7064055069301',
      email: 'former@example.com',
      first_name: 'Ada',
      last_name: null
    },
    receiver: { id: 'cust_8', email: 'bob@example.com', first_name: 'Bob' },
    reason: 'Sorry',
    cancel_reason: 'too_expensive',
    changes: { email: { from: 'former@example.com', to: 'ada+x@example.com' }, plan_id: { from: null, to: 'plan_1' } },
    note: 'for Ada',
    amount: 12.5,
    text: 'Ada, 555-625-1199'
  }
  assert.deepEqual(JSON.parse(erase(JSON.stringify(document))), {
    id: 'mem_7',
    customer: { id: 'cust_7', shopify_id: 'gid://shopify/Customer/07', email: null, first_name: null, last_name: null },
    receiver: { id: 'cust_8', email: 'bob@example.com', first_name: 'Bob' },
    reason: 'erased',
    cancel_reason: 'too_expensive',
    changes: { email: { from: null, to: null }, plan_id: { from: null, to: 'plan_1' } },
    note: null,
    amount: 12.5,
    text: 'erased, erased'
  })
  assert.equal(erase('no JSON, Ada'), 'no JSON, erased')
})
