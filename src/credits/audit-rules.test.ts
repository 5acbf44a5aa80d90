import assert from 'node:assert/strict'
import { test } from 'node:test'
import { audit } from '#audit'
import { captureReservation, changeCredits, reserveCredit, restoreCredit } from '#credits'
import { type Ctx, int, row, type Statement, sql } from '#kit/postgres'
import { upsertCustomers } from '#members'
import { adjustPoints } from '#points'
import { testDatabase } from '../../test/database.ts'
import { aStore } from '../../test/store-builder.ts'

const { db } = await testDatabase()

/** A store with correct credit and points, of which one thing is then made wrong. */
async function spoilt(spoil: (ctx: Ctx, memberId: number) => Statement, withSubject = false) {
  const store = await aStore(db)
  const reported = { id: '77', email: 'ada@example.com', firstName: null, lastName: null }
  const memberId = await store.inStore(async (ctx) => {
    const { id } = (await upsertCustomers(ctx, [reported])).get('77')!
    const change = { memberId: id, reason: 'x' }
    await changeCredits(ctx, [
      { ...change, type: 'manual_add', amountMinor: 500, operationId: 'a' },
      { ...change, type: 'manual_deduct', amountMinor: -200, operationId: 'b' }
    ])
    await adjustPoints(ctx, [{ memberId: id, balance: 7, reason: 'x', operationId: 'a' }])
    return id
  })
  const right = await store.inStore(audit)
  assert.deepEqual(right.findings, [])
  assert.equal(right.checked.credit_events_complete, 2)
  await store.inStore((ctx) => ctx.tx.run(spoil(ctx, memberId)))
  const { findings, checked } = await store.inStore(audit)
  assert.equal(checked.credit_entries_chained, 2)
  return findings.map(({ check, message, subject }) => (withSubject ? [check, message, subject] : [check, message]))
}

for (const [what, spoil, found] of [
  [
    'a balance that is not the sum of its entries',
    ({ storeId }: Ctx) => sql`update credit_accounts set balance_minor = 400 where store_id = ${storeId}`,
    [
      [
        'credit_balances_sum',
        'has a credit balance of 4.00 USD in 2 entries; its entries sum to 3.00 USD in 2, its lots to 3.00 USD'
      ]
    ]
  ],
  [
    'an account with a wrong number of entries',
    ({ storeId }: Ctx) => sql`update credit_accounts set entries = 3 where store_id = ${storeId}`,
    [
      [
        'credit_balances_sum',
        'has a credit balance of 3.00 USD in 3 entries; its entries sum to 3.00 USD in 2, its lots to 3.00 USD'
      ]
    ]
  ],
  [
    'lots that are not the balance',
    ({ storeId }: Ctx) => sql`delete from credit_lots where store_id = ${storeId}`,
    [
      [
        'credit_balances_sum',
        'has a credit balance of 3.00 USD in 2 entries; its entries sum to 3.00 USD in 2, its lots to 0.00 USD'
      ]
    ]
  ],
  [
    'a balance with lots to match, that is not the sum of its entries',
    ({ storeId }: Ctx) => sql`
      with lots as (update credit_lots set remaining_minor = 400 where store_id = ${storeId})
      update credit_accounts set balance_minor = 400 where store_id = ${storeId}`,
    [
      [
        'credit_balances_sum',
        'has a credit balance of 4.00 USD in 2 entries; its entries sum to 3.00 USD in 2, its lots to 4.00 USD'
      ]
    ]
  ],
  [
    'an entry that does not follow from the one before',
    ({ storeId }: Ctx) =>
      sql`update credit_entries set balance_after_minor = 301 where store_id = ${storeId} and position = 2`,
    [
      [
        'credit_entries_chained',
        'is entry 2 of cust_# with 3.01 USD after it; counted again it is entry 2 with 3.00 USD'
      ]
    ]
  ],
  [
    'an entry without an event',
    ({ storeId }: Ctx) => sql`delete from facts where store_id = ${storeId} and name = 'store_credit.added'`,
    [['credit_events_complete', 'moves 5.00 USD, recorded as added 0 and as deducted 0 times']]
  ],
  [
    'a deduction without an event',
    ({ storeId }: Ctx) => sql`delete from facts where store_id = ${storeId} and name = 'store_credit.deducted'`,
    [['credit_events_complete', 'moves -2.00 USD, recorded as added 0 and as deducted 0 times']]
  ],
  [
    'points that are not the sum of their entries',
    ({ storeId }: Ctx) => sql`update points_accounts set balance = 8 where store_id = ${storeId}`,
    [['points_balances_sum', 'has 8 points, 0 pending and 0 ever earned; the entries sum to 7, 0 and 0']]
  ],
  [
    'points whose lots are not the balance',
    ({ storeId }: Ctx) => sql`update points_lots set remaining_points = 3 where store_id = ${storeId}`,
    [['points_lots_sum', 'has 7 points and 0 pending; their parts sum to 3 and 0']]
  ],
  [
    'pending points without their part',
    ({ storeId }: Ctx) => sql`
      with entry as (update points_entries set pending_points = 4 where store_id = ${storeId})
      update points_accounts set pending_points = 4 where store_id = ${storeId}`,
    [['points_lots_sum', 'has 7 points and 4 pending; their parts sum to 7 and 0']]
  ],
  [
    'points of which more is undone than there were',
    ({ storeId, now }: Ctx) => sql`
      with entry as (select id, member_id from points_entries where store_id = ${storeId}),
           undone as (
             insert into points_entries (store_id, member_id, type, points, shortfall_points, balance_after, reason, operation_id,
                                         created_at, reverses_id, reversed_points)
             select ${storeId}, member_id, 'reversed', 0, 8, 7, 'x', 'y', ${now}, id, 8 from entry)
      select from entry`,
    [['points_reversals_fit', 'has points entry # of 7, undone by 0 with a shortfall of 8']]
  ],
  [
    'points without an event',
    ({ storeId }: Ctx) => sql`delete from facts where store_id = ${storeId} and name = 'member.points_changed'`,
    [['points_events_complete', 'has points entry # of 7, recorded 0 times']]
  ]
] as const) {
  test(`the auditor finds ${what}`, async () => {
    const findings = await spoilt(spoil)
    assert.deepEqual(
      findings.map(([check, message]) => [check, message!.replace(/(cust_|points entry )\d+/, '$1#')]),
      found
    )
  })
}

/** A store with a redemption of which a part is restored, an open reservation and a captured one; one thing is then made wrong. */
async function spoiltReservation(spoil: (ctx: Ctx) => Statement) {
  const store = await aStore(db)
  const reported = [{ id: '77', email: 'ada@example.com', firstName: null, lastName: null }]
  await store.inStore(async (ctx) => {
    const { id } = (await upsertCustomers(ctx, reported)).get('77')!
    const change = { memberId: id, reason: 'x' }
    await changeCredits(ctx, [{ ...change, type: 'manual_add', amountMinor: 500, operationId: 'a' }])
    const expiresAt = ctx.now.add({ hours: 1 })
    const [, captured] = await reserveCredit(ctx, [
      { ...change, amountMinor: 100, operationId: 'open', expiresAt },
      { ...change, amountMinor: 50, operationId: 'captured', expiresAt }
    ])
    const { entry } = await captureReservation(ctx, id, captured!.reservation!.id)
    const restored = { ...change, entryId: entry.id, amountMinor: 20, operationId: 'restored' }
    await restoreCredit(ctx, [{ ...restored, type: 'redemption_restored' }])
  })
  assert.deepEqual((await store.inStore(audit)).findings, [])
  await store.inStore((ctx) => ctx.tx.run(spoil(ctx)))
  const { findings } = await store.inStore(audit)
  return findings.map(({ check, message }) => [check, message])
}

for (const [what, spoil, found] of [
  [
    'totals that are not the sums of the entries',
    ({ storeId }: Ctx) => sql`update credit_accounts set used_minor = 31 where store_id = ${storeId}`,
    [
      [
        'credit_totals_sum',
        'has the credit totals 0.00 USD, 0.31 USD, 0.00 USD, 0.00 USD, 0.00 USD, 5.00 USD after 3 entries; they sum to 0.00 USD, 0.30 USD, 0.00 USD, 0.00 USD, 0.00 USD, 5.00 USD (charged, used, refunded, disputed, forfeit, reconciled)'
      ]
    ]
  ],
  [
    'totals that count more entries than there are',
    ({ storeId }: Ctx) => sql`update credit_accounts set totalled_entries = 4 where store_id = ${storeId}`,
    [
      [
        'credit_totals_sum',
        'has the credit totals 0.00 USD, 0.30 USD, 0.00 USD, 0.00 USD, 0.00 USD, 5.00 USD after 4 entries; they sum to 0.00 USD, 0.30 USD, 0.00 USD, 0.00 USD, 0.00 USD, 5.00 USD (charged, used, refunded, disputed, forfeit, reconciled)'
      ]
    ]
  ],
  [
    'an account that reserves less than its reservations',
    ({ storeId }: Ctx) => sql`update credit_accounts set reserved_minor = 99 where store_id = ${storeId}`,
    [['credit_reservations_consistent', 'has 0.99 USD of credit reserved; the open reservations hold 1.00 USD']]
  ],
  [
    'a lot that reserves less than its reservations',
    ({ storeId }: Ctx) => sql`update credit_lots set reserved_minor = 99 where store_id = ${storeId}`,
    [['credit_reservations_consistent', 'has 0.99 USD of its rest reserved; the open reservations hold 1.00 USD of it']]
  ],
  [
    'a reservation that holds other than it reserves',
    ({ storeId }: Ctx) => sql`
      with accounts as (update credit_accounts set reserved_minor = 99 where store_id = ${storeId})
      update credit_reservations set amount_minor = 99 where store_id = ${storeId} and status = 'reserved'`,
    [['credit_reservations_consistent', 'reserves 0.99 USD and holds 1.00 USD of lots']]
  ],
  [
    'a captured reservation whose entry has another amount',
    ({ storeId }: Ctx) => sql`
      update credit_reservations set captured_minor = 49 where store_id = ${storeId} and status = 'captured'`,
    [['credit_captures_entered', 'is captured with 0.49 USD; its entry moves -0.50 USD']]
  ],
  [
    'an aborted reservation that has an entry',
    ({ storeId }: Ctx) => sql`
      update credit_reservations set status = 'aborted', aborted_by = 'expired', entry_id = null, captured_minor = null
       where store_id = ${storeId} and status = 'captured'`,
    [['credit_captures_entered', 'is aborted; its entry moves -0.50 USD']]
  ],
  [
    'more that was restored than deducted',
    ({ storeId }: Ctx) => sql`
      with accounts as (
        update credit_accounts set balance_minor = 501, used_minor = -1 where store_id = ${storeId}),
      lots as (update credit_lots set remaining_minor = 501 where store_id = ${storeId}),
      facts as (delete from facts where store_id = ${storeId} and data ->> 'amount' = '0.2')
      update credit_entries set amount_minor = 51, balance_after_minor = 501 where store_id = ${storeId} and type = 5`,
    [
      ['credit_events_complete', 'moves 0.51 USD, recorded as added 0 and as deducted 0 times'],
      ['credit_reversals_within', 'moves -0.50 USD and the entries that reverse it 0.51 USD']
    ]
  ]
] as const) {
  test(`the auditor finds ${what}`, async () => {
    assert.deepEqual(await spoiltReservation(spoil), found)
  })
}

test('an event of an entry that there is not is found, and so is one that is recorded twice or in the wrong direction', async () => {
  const twice = await spoilt(
    ({ storeId }) => sql`
      insert into facts (store_id, name, ordering_key, data, refs, occurred_at)
      select store_id, name, ordering_key, data, refs, occurred_at from facts
       where store_id = ${storeId} and name = 'store_credit.deducted'`
  )
  assert.deepEqual(twice, [['credit_events_complete', 'moves -2.00 USD, recorded as added 0 and as deducted 2 times']])
  const wrong = await spoilt(
    ({ storeId }) => sql`
      update facts set name = 'store_credit.added' where store_id = ${storeId} and name = 'store_credit.deducted'`
  )
  assert.deepEqual(wrong, [['credit_events_complete', 'moves -2.00 USD, recorded as added 1 and as deducted 0 times']])
  const unknown = await spoilt(
    ({ storeId }) => sql`
      insert into facts (store_id, name, ordering_key, data, refs, occurred_at)
      select store_id, name, ordering_key, '{"transaction_id": "sct_0"}', refs, occurred_at from facts
       where store_id = ${storeId} and name = 'store_credit.added'`
  )
  assert.deepEqual(unknown, [['credit_events_complete', 'moves nothing, recorded as added 1 and as deducted 0 times']])
})

test('credit without an account is found under its customer', async () => {
  let customer = 0
  const found = async (spoil: (ctx: Ctx) => Statement) => {
    const findings = await spoilt((ctx, memberId) => {
      customer = memberId
      return spoil(ctx)
    }, true)
    return findings.filter(([check]) => check === 'credit_balances_sum')
  }
  assert.deepEqual(await found(({ storeId }) => sql`delete from credit_accounts where store_id = ${storeId}`), [
    [
      'credit_balances_sum',
      'has a credit balance of none in 0 entries; its entries sum to 3.00 USD in 2, its lots to 3.00 USD',
      `cust_${customer}`
    ]
  ])
})

test('credit that was moved to another customer is found under both', async () => {
  for (const withAccount of [false, true]) {
    const store = await aStore(db)
    const reported = ['77', '78', '79'].map((id) => ({
      id,
      email: `c${id}@example.com`,
      firstName: null,
      lastName: null
    }))
    const [ada, ben, eve] = await store.inStore(async (ctx) => {
      const known = await upsertCustomers(ctx, reported)
      const [from, to, other] = ['77', '78', '79'].map((id) => known.get(id)!.id)
      await changeCredits(ctx, [
        { memberId: from!, reason: 'x', type: 'manual_add', amountMinor: 500, operationId: 'a' }
      ])
      await ctx.tx.run(sql`update credit_lots set member_id = ${to!} where store_id = ${ctx.storeId}`)
      await ctx.tx.run(sql`
        insert into credit_accounts (store_id, member_id, balance_minor, entries, updated_at)
        select ${ctx.storeId}, id, minor, 0, ${ctx.now} from unnest(${[to!, other!]}::bigint[], '{0,5}'::bigint[]) as m(id, minor)
         where id = ${other!} or ${withAccount}`)
      return [from, to, other]
    })
    const { findings } = await store.inStore(audit)
    const of = (balance: string, entries: string, lots: string) =>
      `has a credit balance of ${balance} entries; its entries sum to ${entries}, its lots to ${lots}`
    assert.deepEqual(
      findings.map(({ subject, message }) => [subject, message]),
      [
        [`cust_${ada}`, of('5.00 USD in 1', '5.00 USD in 1', '0.00 USD')],
        [`cust_${ben}`, of(withAccount ? '0.00 USD in 0' : 'none in 0', '0.00 USD in 0', '5.00 USD')],
        [`cust_${eve}`, of('0.05 USD in 0', '0.00 USD in 0', '0.00 USD')]
      ]
    )
  }
})

test('an account that nothing was ever added to is right', async () => {
  const store = await aStore(db)
  const reported = [{ id: '78', email: 'ben@example.com', firstName: null, lastName: null }]
  await store.inStore(async (ctx) => {
    const { id } = (await upsertCustomers(ctx, reported)).get('78')!
    await ctx.tx.run(sql`
      insert into credit_accounts (store_id, member_id, balance_minor, entries, updated_at)
      values (${ctx.storeId}, ${id}, 0, 0, ${ctx.now})`)
  })
  assert.deepEqual((await store.inStore(audit)).findings, [])
})

test('entries up to the time from which events are kept need none', async () => {
  const entries = await spoilt(
    ({ storeId }) => sql`
      with gone as (delete from facts where store_id = ${storeId} and name like 'store_credit.%')
      insert into fact_history (store_id, complete_since, pruned_through)
      select ${storeId}, max(created_at), 0 from credit_entries where store_id = ${storeId}`
  )
  assert.deepEqual(entries, [])
})

test('points without entries, and entries without an account, are found under their member', async () => {
  let member = 0
  const found = async (spoil: (ctx: Ctx) => Statement) => {
    const findings = await spoilt((ctx, memberId) => {
      member = memberId
      return spoil(ctx)
    }, true)
    return findings
  }
  const withoutEntries = await found(
    ({ storeId }) => sql`
    with lots as (delete from points_lots where store_id = ${storeId}),
         accounts as (update points_accounts set lotted_points = 0 where store_id = ${storeId})
    delete from points_entries where store_id = ${storeId}`
  )
  assert.deepEqual(
    withoutEntries.map(([check, message, subject]) => [check, message!.replace(/entry \d+/, 'entry #'), subject]),
    [
      [
        'points_balances_sum',
        'has 7 points, 0 pending and 0 ever earned; the entries sum to 0, 0 and 0',
        `mem_${member}`
      ],
      ['points_events_complete', 'has points entry # of 0, recorded 1 times', 'mem_ unknown']
    ]
  )
  const withoutAccount = await found(
    ({ storeId }) => sql`
    with lots as (delete from points_lots where store_id = ${storeId})
    delete from points_accounts where store_id = ${storeId}`
  )
  assert.deepEqual(withoutAccount, [
    ['points_balances_sum', 'has no account; the entries sum to 7, 0 and 0', `mem_${member}`]
  ])
  const withoutEvent = await found(
    ({ storeId }) => sql`delete from facts where store_id = ${storeId} and name = 'member.points_changed'`
  )
  assert.deepEqual(
    withoutEvent.map(([, , subject]) => subject),
    [`mem_${member}`]
  )
})

test('a rule reports a hundred findings at most, those with the first subjects', async () => {
  const store = await aStore(db)
  const reported = Array.from({ length: 101 }, (_, i) => ({
    id: String(500 + i),
    email: `c${i}@example.com`,
    firstName: null,
    lastName: null
  }))
  const ids = [...(await store.inStore((ctx) => upsertCustomers(ctx, reported))).values()].map(({ id }) => id)
  await store.inStore(async ({ tx, storeId, now }) => {
    await tx.run(sql`
      insert into credit_accounts (store_id, member_id, balance_minor, entries, updated_at)
      select ${storeId}, id, 5, 1, ${now} from unnest(${ids}::bigint[]) as m(id)`)
    await tx.run(sql`
      insert into credit_entries (store_id, member_id, position, type, amount_minor, balance_after_minor, reason, operation_id, created_at)
      select ${storeId}, id, 2, 1, 4, 4, 'x', 'x' || id, ${now} from unnest(${ids}::bigint[]) as m(id)`)
    await tx.run(sql`
      insert into points_accounts (store_id, member_id, balance, updated_at)
      select ${storeId}, id, 5, ${now} from unnest(${ids}::bigint[]) as m(id)`)
    await tx.run(sql`
      insert into points_entries (store_id, member_id, points, balance_after, reason, operation_id, created_at)
      select ${storeId}, id, 4, 4, 'x', 'x' || id, ${now} from unnest(${ids}::bigint[]) as m(id)`)
  })
  const { findings, checked } = await store.inStore(audit)
  for (const rule of [
    'credit_balances_sum',
    'credit_events_complete',
    'points_balances_sum',
    'points_events_complete'
  ]) {
    const subjects = findings.filter(({ check }) => check === rule).map(({ subject }) => subject!)
    assert.equal(subjects.length, 100, rule)
    assert.deepEqual(subjects, subjects.toSorted(), rule)
    if (!rule.endsWith('sum')) continue
    const prefix = subjects[0]!.replace(/\d+$/, '')
    assert.deepEqual(
      subjects,
      ids
        .map((id) => `${prefix}${id}`)
        .toSorted()
        .slice(0, 100),
      rule
    )
  }
  const entries = await store.inStore(({ tx, storeId }) =>
    tx.many(row({ id: int }), sql`select id from credit_entries where store_id = ${storeId} order by id limit 100`)
  )
  assert.deepEqual(
    findings.filter(({ check }) => check === 'credit_entries_chained').map(({ subject }) => subject),
    entries.map(({ id }) => `sct_${id}`)
  )
  assert.deepEqual([checked.credit_events_complete, checked.credit_entries_chained], [0, 101])
})
