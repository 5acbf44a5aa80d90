// What customers have of loyalty from before, imported from a file by the command line.
import assert from 'node:assert/strict'
import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { publicId } from '#kit/ids'
import { day, nullable, row, sql } from '#kit/postgres'
import { commandLine } from './command-line.ts'
import { testDatabase } from './database.ts'
import { aLoyaltyShop } from './loyalty-shop.ts'
import { startService } from './service-builder.ts'

const { url } = await testDatabase()
const service = await startService(url)
const { controls } = service.sandbox
const { run, json } = commandLine(service)
const folder = await mkdtemp(join(tmpdir(), 'loyalty-import-'))

async function aShop() {
  const shop = await aLoyaltyShop(service)
  const { store, storeId, memberOf } = shop
  let files = 0
  return {
    ...shop,
    /** The report of an import of a CSV or NDJSON file, and whether the command failed. */
    async importFile(content: string, ...more: string[]) {
      const path = join(folder, `${storeId}-${files++}.${content.startsWith('{') ? 'ndjson' : 'csv'}`)
      await writeFile(path, content)
      const { code, out } = await run(['loyalty', 'import', path, '--store', store.domain, '--json', ...more])
      return { code, report: JSON.parse(out) }
    },
    now: () => service.db.inStore(storeId, async (ctx) => ctx.now),
    /** Creates a tier above all others. */
    async tier(name: string, entry: object, more: object = {}) {
      await service.admin('POST', `${store.at}/loyalty/tiers`, { name, entry_rules: entry, ...more })
      await shop.settle()
    },
    /** The tier of a customer, when it is reviewed, and their balance. */
    async tierOf(platformId: string) {
      const id = publicId('cust', await memberOf(platformId))
      const found = await service.admin('GET', `${store.at}/loyalty/customers/${id}`)
      return [found.tier, found.tier_review_at, found.loyalty_points]
    },
    async birthDate(platformId: string) {
      const id = await memberOf(platformId)
      const found = await service.db.inStore(storeId, ({ tx }) =>
        tx.one(
          row({ birthDate: nullable(day) }),
          sql`select birth_date from members where store_id = ${storeId} and id = ${id}`
        )
      )
      return found.birthDate?.toString() ?? null
    }
  }
}

const inAYear = (at: Temporal.Instant) => at.add({ hours: 365 * 24 }).toString({ smallestUnit: 'millisecond' })

/** What the commands print of the counts of a report. */
const counts = ({
  report: { rows, imported, repeated, refused, points, birth_dates }
}: {
  report: Record<string, number>
}) => [...[rows, imported, repeated, refused], ...[points, birth_dates]]

test('points are added once for each customer and birth dates entered; the same file again changes nothing', async () => {
  const { store, customer, order, rule, points, birthDate, importFile } = await aShop()
  await rule('points_for_purchases', {}, { reward_type: 'points' })
  const [ada, ben] = [await customer('ada@example.com'), await customer('ben@example.com')]
  await order(ada, '10.00')
  const file = `customer_id,email,points,lifetime_points,birth_date\n${ada},,300,1200,1990-02-28\n,BEN@example.com,50,,\n`
  const trial = await importFile(file, '--dry-run')
  assert.deepEqual([trial.code, trial.report.dry_run, counts(trial)], [0, true, [2, 2, 0, 0, 350, 1]])
  assert.deepEqual([await points(ada), await birthDate(ada)], [[10, 0, 10], null])
  assert.deepEqual(counts(await importFile(file)), [2, 2, 0, 0, 350, 1])
  assert.deepEqual(
    [await points(ada), await points(ben)],
    [
      [310, 0, 1210],
      [50, 0, 50]
    ]
  )
  assert.equal(await birthDate(ada), '1990-02-28')
  assert.deepEqual(counts(await importFile(file)), [2, 0, 2, 0, 0, 0])
  await order(ada, '10.00')
  assert.deepEqual(
    counts(await importFile(`{"customer_id":"${ada}","points":300,"lifetime_points":1200}\n`)),
    [1, 0, 1, 0, 0, 0]
  )
  assert.deepEqual(
    [await points(ada), await points(ben)],
    [
      [320, 0, 1220],
      [50, 0, 50]
    ]
  )
  await store.soundBooks()
})

test('a row that is wrong is refused by its line and column, and the others are imported', async () => {
  const { store, customer, memberOf, points, importFile } = await aShop()
  const [ada, ben] = [await customer('ada@example.com'), await customer('ben@example.com')]
  const ids = [publicId('cust', await memberOf(ada)), publicId('cust', await memberOf(ben))]
  const lines = [
    'customer_id,email,points,lifetime_points,tier,birth_date',
    `${ids[0]},,100,,,`,
    ',nobody@example.com,5,,,',
    `${ids[1]},,-5,,,`,
    `${ids[1]},,10,5,,`,
    `${ids[1]},,,,,`,
    `${ids[1]},,1,,Gold,`,
    `${ids[1]},,1,,,2190-01-01`,
    `${ids[1]},,1,,,1990-02-30`,
    `,ADA@example.com,100,,,`,
    `,ada@example.com,200,,,`,
    `${ids[1]},,20,,,`
  ]
  const problems = [
    [3, 'email', 'There is no customer with this address'],
    [4, 'points', 'points must be a whole number from 0 to 999999999'],
    [5, 'lifetime_points', 'lifetime_points must not be less than points'],
    [6, 'points', 'points or lifetime_points, or tier, or birth_date is required'],
    [7, 'tier', 'tier must be the name of an active tier of the store: it has none'],
    [8, 'birth_date', 'birth_date must be a day in the past, from 1900-01-01 on'],
    [9, 'birth_date', 'birth_date must be a day such as 1990-01-31'],
    [11, 'points', `${ids[0]} has had points by an import before: 100, and 100 in all; they are not imported again`]
  ]
  for (const more of [['--dry-run'], []]) {
    const { code, report } = await importFile(`${lines.join('\n')}\n`, ...more)
    assert.deepEqual(
      report.problems.map(({ line, field, message }: Record<string, string>) => [line, field, message]),
      problems
    )
    assert.deepEqual([code, counts({ report })], [1, [11, 2, 1, 8, 120, 0]])
  }
  assert.deepEqual(
    [await points(ada), await points(ben)],
    [
      [100, 0, 100],
      [20, 0, 20]
    ]
  )
  const { code, err } = await run(['loyalty', 'import', join(folder, 'none.csv'), '--store', store.domain])
  assert.notEqual(code, 0)
  assert.match(err, /none\.csv/)
})

test('an imported tier holds to its first review, whatever the tiers say meanwhile, and gives no reward', async () => {
  const { store, storeId, customer, order, importFile, tier, tierOf, settle, now } = await aShop()
  for (const [name, spend, points] of [
    ['Silver', 50, 10],
    ['Gold', 100, 20],
    ['Top', 500, 40]
  ] as const) {
    await tier(name, { min_spend: spend }, { reward_rules: { points } })
  }
  const [ada, ben, cleo] = [
    await customer('ada@example.com'),
    await customer('ben@example.com'),
    await customer('cleo@example.com')
  ]
  await order(ben, '500.00')
  await store.advance({ by: 'PT1H' })
  const file = `customer_id,tier\n${ada},gold\n${ben},Gold\n`
  for (const more of [['--dry-run'], []]) {
    const { code, report } = await importFile(file, ...more)
    assert.deepEqual([code, report.imported, report.tiers, report.birth_dates], [0, 2, 2, 0])
  }
  const shown = async () => [await tierOf(ada), await tierOf(ben)]
  const asImported = [
    ['Gold', inAYear(await now()), 0],
    ['Top', inAYear((await now()).subtract({ hours: 1 })), 40]
  ]
  assert.deepEqual(await shown(), asImported)
  // Everybody is put where the tiers say now.
  for (const tiers of ['off', 'on']) {
    await service.admin('PATCH', `${store.at}/settings`, { loyalty: { tiers } })
    await settle()
  }
  assert.deepEqual(await shown(), asImported)
  const again = await importFile(`${file}${ben},Silver\n${cleo},Silver\n`)
  assert.deepEqual(counts(again), [4, 1, 2, 1, 0, 0])
  const { field, message } = again.report.problems[0]
  assert.equal(field, 'tier')
  assert.match(message, /has had a tier by an import before: Gold; it is not imported again/)
  await controls.mergeCustomers({ storeId, customerId: ada, intoId: cleo })
  await settle()
  assert.equal((await tierOf(cleo))[0], 'Gold')
  assert.deepEqual(counts(await importFile(`customer_id,tier\n${cleo},Gold\n${cleo},Silver\n`)), [2, 0, 2, 0, 0, 0])
  await store.soundBooks()

  // Ben's order is a year old an hour before what was imported.
  await store.advance({ by: 'P364DT23H' })
  assert.deepEqual([(await tierOf(ben))[0], (await tierOf(cleo))[0]], ['Gold', 'Gold'])
  await store.soundBooks()
  await store.advance({ by: 'PT1H' })
  assert.deepEqual([(await tierOf(ben))[0], (await tierOf(cleo))[0]], [null, null])
  await order(cleo, '100.00')
  // What Gold gives they have had elsewhere.
  assert.deepEqual((await tierOf(cleo)).slice(0, 3), ['Gold', inAYear(await now()), 0])
  await store.soundBooks()
})

test('an imported tier holds to the end of the next year of the shop where years are reviewed, and waits while tiers are off', async () => {
  const { store, customer, importFile, tier, tierOf, settle, now } = await aShop()
  await tier('Gold', { min_spend: 100 })
  const set = async (loyalty: object) => {
    await service.admin('PATCH', `${store.at}/settings`, { loyalty })
    await settle()
  }
  await set({ tier_review: 'calendar_year', tiers: 'off' })
  const ada = await customer('ada@example.com')
  assert.equal((await importFile(`customer_id,tier\n${ada},Gold\n`)).report.tiers, 1)
  assert.equal((await tierOf(ada))[0], null)
  await set({ tiers: 'on' })
  const { timeZoneId, year } = (await now()).toZonedDateTimeISO('America/New_York')
  const end = Temporal.ZonedDateTime.from({ timeZone: timeZoneId, year: year + 2, month: 1, day: 1 })
  assert.deepEqual((await tierOf(ada)).slice(0, 2), ['Gold', end.toInstant().toString({ smallestUnit: 'millisecond' })])
  await store.soundBooks()
})

test('points of who was merged are not imported again, and a birth date that is known stays', async () => {
  const { storeId, customer, settle, points, birthDate, importFile } = await aShop()
  const [ada, ben] = [await customer('ada@example.com'), await customer('ben@example.com')]
  await importFile(`customer_id,points,birth_date\n${ada},300,1990-01-31\n${ben},20,1980-01-31\n`)
  await controls.mergeCustomers({ storeId, customerId: ada, intoId: ben })
  await settle()
  assert.deepEqual(await points(ben), [320, 0, 320])
  const again = await importFile(
    `customer_id,points,birth_date\n${ada},300,1990-01-31\n${ben},20,1970-01-31\n${ben},7,\n`
  )
  assert.deepEqual(counts(again), [3, 0, 2, 1, 0, 0])
  assert.deepEqual([await points(ben), await birthDate(ben)], [[320, 0, 320], '1980-01-31'])
})

test('of two imports of one file at once each customer has the points of one', async () => {
  const { customer, points, importFile } = await aShop()
  const people = [await customer('ada@example.com'), await customer('ben@example.com')]
  const file = `customer_id,points\n${people.map((id) => `${id},70\n`).join('')}`
  const reports = await Promise.all([importFile(file), importFile(file), importFile(file)])
  assert.equal(
    reports.reduce((sum, { report }) => sum + report.points, 0),
    140
  )
  assert.deepEqual(await Promise.all(people.map(points)), [
    [70, 0, 70],
    [70, 0, 70]
  ])
})

test('the entries of a customer are listed newest first, a page at a time', async () => {
  const { store, customer, order, rule, refund, importFile } = await aShop()
  await rule('points_for_purchases', {}, { reward_type: 'points' })
  const [ada, ben] = [await customer('ada@example.com'), await customer('ben@example.com')]
  await importFile(`customer_id,points,lifetime_points\n${ada},300,1200\n${ben},5,\n`)
  const bought = await order(ada, '40.00')
  await refund(bought, '10.00')
  const list = async (...more: string[]) =>
    json('loyalty', 'points', 'list', '--store', store.domain, '--customer', 'ada@example.com', ...more)
  const first = await list('--limit', '2')
  const rest = await list('--before', String(first.next))
  assert.equal(rest.next, null)
  const shown = [...first.data, ...rest.data].map((entry: Record<string, unknown>) => [
    ...[entry.type, entry.points, entry.lifetime_points, entry.balance_after, entry.reason, entry.order_id !== null]
  ])
  assert.deepEqual(shown, [
    ['reversed', -10, -10, 330, shown[0]![4], true],
    ['earned', 40, 40, 340, 'points_for_purchases', true],
    ['adjusted', 300, 1200, 300, 'import', false]
  ])
})
