// A store whose platform has a database of its own, so that one side can be set back, fail or be of another version while the other
// goes on.
import pg from 'pg'
import { type Database, int, row, sql } from '#kit/postgres'
import { createConnectors } from '#platform'
import { platformAccess, storeNow } from '#stores'
import { sealCredentials } from '../src/stores/platform-access.ts'
import { readAndApplyContracts } from '../src/sync/contracts/read-and-apply-contracts.ts'
import { testVault } from '../test/store-builder.ts'
import { until } from '../test/until.ts'
import type { startPlatform } from './platform.ts'

type Platform = Awaited<ReturnType<typeof startPlatform>>

const FIRST_NUMBER = 900_000_000
const ZONE = 'America/New_York'

/**
 * A shop on the platform, and the store of that shop in the service's own database, with
 * the shop's secrets. The service reaches the platform at `url`. The store's test clock begins at `at`; null: real time.
 */
export async function aStoreApart(
  db: Database,
  platform: Platform,
  { domain, url, at }: { domain: string; url: string; at: string | null }
) {
  const shop = await platform.aStore(domain, 0)
  const { accessToken, appSecret, proxySecret } = await platformAccess(platform.db, testVault, shop)
  // Written by SQL, since the schema may be that of an older version.
  const sealed = sealCredentials(testVault, domain, { accessToken, appSecret, proxySecret })
  const { storeId } = await db.inInstallation((tx) =>
    tx.one(
      row({ storeId: int }),
      sql`
      insert into stores (domain, name, timezone, currency, rate_plan, sandbox, clock_at, platform_profile, platform_url,
                          platform_credentials, connected_at)
      values (${domain}, 'Trial', ${ZONE}, 'USD', 'enterprise', true, ${at}::timestamptz, 'platform',
              ${`${url}/${domain}`}, ${sealed}, now())
      returning store_id`
    )
  )
  const connectors = createConnectors()
  const connectorOf = async () => connectors.to(await platformAccess(db, testVault, storeId))

  const contracts = async (first: number, count: number): Promise<string[]> => {
    const ids = Array.from({ length: count }, (_, i) => String(FIRST_NUMBER + first + i))
    const now = (await storeNow(platform.db, shop)).toZonedDateTimeISO(ZONE)
    await platform.controls.importFixtures({
      storeId: shop,
      customers: ids.map((id) => ({ id, email: `person-${id}@example.com` })),
      orders: ids.map((id) => ({ id, customerId: id, total: '29.00' })),
      contracts: ids.map((id) => ({
        id,
        customerId: id,
        price: '29.00',
        interval: 'MONTH',
        intervalCount: 1,
        originOrderId: id,
        nextBillingAt: now.add({ months: 1 }).toInstant().toString()
      }))
    })
    return ids
  }

  return {
    shop,
    storeId,
    /** Makes monthly contracts on the platform, each with its first cycle paid. Returns their ids. */
    contracts,
    /** The same, and subscriptions of them here. */
    async join(first: number, count: number): Promise<string[]> {
      const ids = await contracts(first, count)
      await readAndApplyContracts({ db, connectorOf }, storeId, ids)
      return ids
    }
  }
}

/** As long as leases of what was under way when a connection was lost may last, and more. */
const QUIET_WITHIN_MS = 200_000

/**
 * Waits until the service has nothing under way: no charge without a result, no job, no message, no webhook. `consumers`: those of
 * the facts that a running node has, when not all of them.
 */
export async function quiet(url: string, consumers?: readonly string[]): Promise<void> {
  const named = consumers?.map((name) => `'${name}'`).join()
  const running = named === undefined ? '' : ` and consumer in (${named})`
  await until(
    'the service is quiet',
    async () => {
      const [left] = await rowsOf(
        url,
        `select (select count(*) from billing_attempts where status = 'pending')
              + (select count(*) from jobs j join stores s using (store_id) where j.run_at <= coalesce(s.clock_at, now()))
              + (select count(*) from inbound_webhooks where status = 'waiting')
              + (select count(*) from facts where position is null)
              + (select count(*) from fact_consumers where position < last_position${running})
              + (select count(*) from webhook_queue) as count`
      )
      return left!.count === '0'
    },
    QUIET_WITHIN_MS
  )
}

export type PaidOrders = { contract: string; day: string; count: number }

/** The paid orders of each contract and day in the shop, as the platform has them. No contract of a trial is due twice on a day. */
export async function paidOrders(platformUrl: string): Promise<PaidOrders[]> {
  const rows = await rowsOf(
    platformUrl,
    `select contract_id::text as contract, (created_at at time zone 'America/New_York')::date::text as day, count(*)::int as count
       from sandbox.orders where contract_id is not null and financial_status = 'paid' group by 1, 2 order by 1, 2`
  )
  return rows as unknown as PaidOrders[]
}

/** The paid charges, by the platform's numbers, that one side has and the other has not. */
export async function chargesThatDiffer(url: string, platformUrl: string): Promise<string[]> {
  const idsOf = async (from: string, statement: string) =>
    new Set((await rowsOf(from, statement)).map(({ id }) => String(id)))
  const here = await idsOf(url, `select platform_attempt_id as id from billing_attempts where status = 'success'`)
  const there = await idsOf(platformUrl, `select id from sandbox.billing_attempts where status = 'succeeded'`)
  return [...here.symmetricDifference(there)].sort()
}

/** Runs one statement on a connection of its own. */
export async function rowsOf(url: string, statement: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => {})
  await client.connect()
  try {
    return (await client.query(statement)).rows
  } finally {
    await client.end()
  }
}
