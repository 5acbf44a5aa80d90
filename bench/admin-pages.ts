// The admin interface in a browser: what loads first, and how long the members of a store with a million take, beside those of a store
// with a thousand in the same run. Usage: node bench/admin-pages.ts [members]
import pg from 'pg'
import type { Page } from 'playwright-core'
import { Database } from '#kit/postgres'
import { openBrowser } from '../test/browser.ts'
import { startServiceHere } from '../test/service-here.ts'
import { aStore } from '../test/store-builder.ts'
import { aTeam } from '../test/team.ts'
import { benchDatabase, median } from './database.ts'

const MEMBERS = Number(process.argv[2] ?? 1_000_000)
const FEW = 1_000
const PAGE_ROWS = 100
const ROUNDS = 9
/** How much longer a list of so many may take. */
const MAX_RATIO = 2
/** What Lighthouse calls good. */
const MAX_LAYOUT_SHIFT = 0.1

type Load = {
  kib: number
  requests: number
  firstPaintMs: number
  largestPaintMs: number
  blockedMs: number
  shift: number
}

/** Before the scripts of the page: what the browser says of its looks and of its long tasks. */
const OBSERVE = `
  globalThis.seen = { largest: 0, shift: 0, blocked: 0 }
  new PerformanceObserver((list) => { for (const one of list.getEntries()) seen.largest = one.startTime })
    .observe({ type: 'largest-contentful-paint', buffered: true })
  new PerformanceObserver((list) => { for (const one of list.getEntries()) if (!one.hadRecentInput) seen.shift += one.value })
    .observe({ type: 'layout-shift', buffered: true })
  new PerformanceObserver((list) => { for (const one of list.getEntries()) seen.blocked += Math.max(0, one.duration - 50) })
    .observe({ type: 'longtask', buffered: true })`

const READ = `(() => {
  const loaded = [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')]
  const first = performance.getEntriesByName('first-contentful-paint')[0]
  return {
    kib: Math.round(loaded.reduce((sum, one) => sum + one.transferSize, 0) / 1024),
    requests: loaded.length,
    firstPaintMs: Math.round(first?.startTime ?? 0),
    largestPaintMs: Math.round(seen.largest),
    blockedMs: Math.round(seen.blocked),
    shift: Number(seen.shift.toFixed(4))
  }
})()`

const database = await benchDatabase()
const db = new Database({ url: database.url })
const client = new pg.Client({ connectionString: database.url })
const service = await startServiceHere(database.url)
const browser = await openBrowser()
try {
  await client.connect()
  const [many, few] = [await aStore(db), await aStore(db)]
  await fill(many.storeId, MEMBERS)
  await fill(few.storeId, FEW)
  const { cookie } = await aTeam(service).person('bench@example.com', 'owner')
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, locale: 'en-GB' })
  const [name, ...value] = cookie.split('; ')[0]!.split('=')
  await context.addCookies([{ name: name!, value: value.join('='), url: service.url }])
  const page = await context.newPage()
  await page.addInitScript(OBSERVE)
  const at = (storeId: number, rest: string) => `${service.url}/admin/stores/store_${storeId}${rest}`

  const loads: Record<string, Load> = {}
  for (const [what, path, shown] of [
    ['overview', '', 'h1'],
    ['members', '/members', 'tbody tr'],
    ['member', '/members/cust_1', 'dl']
  ] as const) {
    loads[what] = await coldLoad(page, at(many.storeId, path), shown)
    console.log(`${what.padEnd(10)} ${JSON.stringify(loads[what])}`)
  }

  const ratios: Record<string, number> = {}
  for (const [what, query] of [
    ['first page', () => ''],
    ['middle page', (members: number) => `?page=${Math.max(2, Math.floor(members / PAGE_ROWS / 2))}`],
    ['last page', (members: number) => `?page=${members / PAGE_ROWS}`],
    ['a status', () => '?status=paused'],
    ['search', () => '?q=person-7']
  ] as const) {
    const [ours, floor]: [number[], number[]] = [[], []]
    for (let round = 0; round < ROUNDS; round++) {
      floor.push(await timeToRows(page, at(few.storeId, `/members${query(FEW)}`)))
      ours.push(await timeToRows(page, at(many.storeId, `/members${query(MEMBERS)}`)))
    }
    ratios[what] = Number((median(ours) / median(floor)).toFixed(2))
    console.log(`${what.padEnd(12)} ${median(ours).toFixed(0)} ms, of ${FEW} members ${median(floor).toFixed(0)} ms`)
  }
  const worst = Math.max(...Object.values(ratios))
  const shift = Math.max(...Object.values(loads).map((load) => load.shift))
  console.log(JSON.stringify({ bench: 'admin-pages', members: MEMBERS, loads, ratios, wanted: MAX_RATIO }))
  process.exitCode = worst <= MAX_RATIO && shift <= MAX_LAYOUT_SHIFT ? 0 : 1
} finally {
  await browser.close()
  await service.stop()
  await client.end()
  await db.close()
  await database.close()
}

/** Members without triggers, whose counts are then made; of 100 members 80 are active, 2 paused, 18 cancelled. */
async function fill(storeId: number, members: number): Promise<void> {
  await client.query('set session_replication_role = replica')
  await client.query(
    `insert into members (store_id, platform_customer_id, email, first_name, last_name, status, member_since, created_at, updated_at)
     select $1::bigint, ($1::bigint * 100000000 + n)::text, 'person-' || n || '@example.com', 'Person', 'Number ' || n,
            case when n % 100 < 80 then 'active' when n % 100 < 82 then 'paused' else 'cancelled' end, now(),
            timestamptz '2026-01-01' + n * interval '1 second', now()
       from generate_series(1, $2::int) n`,
    [storeId, members]
  )
  await client.query('set session_replication_role = origin')
  await client.query('select rebuild_lists($1)', [storeId])
  await client.query('vacuum analyze')
}

/** A page without anything in the cache of the browser. */
async function coldLoad(page: Page, url: string, shown: string): Promise<Load> {
  const session = await page.context().newCDPSession(page)
  await session.send('Network.clearBrowserCache')
  await page.goto(url)
  await page.locator(shown).first().waitFor()
  await page.waitForLoadState('networkidle')
  return (await page.evaluate(READ)) as Load
}

/** From the address to the rows, with the files of the interface in the cache. */
async function timeToRows(page: Page, url: string): Promise<number> {
  const start = performance.now()
  await page.goto(url)
  await page.locator('tbody tr').first().waitFor()
  return performance.now() - start
}
