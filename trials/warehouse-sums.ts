// A warehouse copies the seven endpoints of the Data API of a simulated store, and adds up what the store's own tables add up to.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { startServiceHere } from '../test/service-here.ts'
import { simulateStore } from './simulated-store.ts'
import { assertNone, differences, fromBase, fromWarehouse, type Numbers } from './warehouse/compare-sums.ts'
import { creditSums } from './warehouse/credit-sums.ts'
import { customerSums } from './warehouse/customer-sums.ts'
import { openWarehouse } from './warehouse/duckdb.ts'
import { compareExamples } from './warehouse/examples.ts'
import { FORMATS, type Format, loadFiles } from './warehouse/load-files.ts'
import { orderSums } from './warehouse/order-sums.ts'
import { addRareThings } from './warehouse/rare-things.ts'
import { readUnusual } from './warehouse/unusual.ts'

export type WarehouseTrial = { databaseUrl: string; members: number; months: number; seed: number }
export type WarehouseReport = {
  members: number
  months: number
  /** Rows that were copied, in each format. */
  rows: Record<string, number>
  /** Sums, and numbers in them, that are the same on both sides in every format. */
  sums: number
  numbers: number
  /** What makes a sum wrong that is made carelessly: there has to be some of each. */
  unusual: Record<string, number>
}

type Service = Awaited<ReturnType<typeof startServiceHere>>
type Shop = { storeId: number; at: string; domain: string }

/** Far enough ahead of UTC that what is sold there on the last day of a month belongs to the next one. */
const SHOP = { timezone: 'Pacific/Auckland', opensAt: '2026-01-06T15:00:00Z' }
const SUMS = [...orderSums, ...creditSums, ...customerSums]
const MAIN = fileURLToPath(new URL('../src/main.ts', import.meta.url))
const run = promisify(execFile)

/**
 * A store lives for some months, in a time zone in which months begin before those of UTC. Then `perennial export` writes all seven
 * endpoints as Parquet, NDJSON and CSV through the app proxy, DuckDB loads the files, and each sum over them must equal, digit by digit,
 * what other SQL finds in the tables of the service, which reads neither maintained totals nor what the service derived of an order. The
 * examples of docs/warehouses.md must find the same. Throws otherwise, and names each sum that is different.
 */
export async function sumInWarehouse({ databaseUrl, members, months, seed }: WarehouseTrial): Promise<WarehouseReport> {
  let compared: Pick<WarehouseReport, 'rows' | 'sums' | 'numbers' | 'unusual'> | undefined
  await simulateStore({ databaseUrl, members, months, isShuffled: false, seed, shop: SHOP }, async (service, shop) => {
    await addRareThings(service, shop)
    const folder = await mkdtemp(join(tmpdir(), 'perennial-warehouse-'))
    try {
      compared = await compare(service, shop, folder)
    } finally {
      await rm(folder, { recursive: true })
    }
  })
  return { members, months, ...compared! }
}

async function compare(service: Service, shop: Shop, root: string) {
  const { storeId } = shop
  const base = new Map<string, Numbers>()
  for (const sum of SUMS) base.set(sum.name, await fromBase(service.db, storeId, sum))
  const { key } = await service.admin('POST', `${shop.at}/keys`, { name: 'Warehouse', scopes: ['read:data'] })
  await writeFile(join(root, 'key.txt'), key)
  const found: string[][] = []
  for (const format of FORMATS) {
    const folder = join(root, format)
    await exportTo(folder, { format, shop: `${service.urls.sandbox}/${shop.domain}`, key: `@${join(root, 'key.txt')}` })
    const warehouse = await openWarehouse(folder)
    try {
      await loadFiles(warehouse, format)
      for (const sum of SUMS) {
        found.push(differences(`${sum.name} (${format})`, await fromWarehouse(warehouse, sum), base.get(sum.name)!))
      }
      if (format === 'parquet') found.push(...(await compareExamples(warehouse, service.db, storeId)))
    } finally {
      warehouse.close()
    }
  }
  assertNone(found)
  const unusual = await readUnusual(service.db, storeId)
  const missing = Object.keys(unusual).filter((name) => unusual[name] === 0)
  assert.deepEqual(missing, [], `this store has no ${missing.join(' and no ')}`)
  const rows = base.get('rows of each endpoint')!
  return {
    rows: Object.fromEntries([...rows].map(([name, numbers]) => [name, Number(numbers.rows)])),
    sums: SUMS.length,
    numbers: [...base.values()].flatMap((sum) => [...sum.values()]).flatMap(Object.values).length,
    unusual
  }
}

/** Runs the command as its user does, in a process of its own. */
async function exportTo(folder: string, { format, shop, key }: { format: Format; shop: string; key: string }) {
  await mkdir(folder)
  const flags = ['--shop', shop, '--key', key, '--format', format, '--to', folder]
  await run(process.execPath, [MAIN, 'export', ...flags])
}
