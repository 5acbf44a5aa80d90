import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort, startProcess } from '../test/service-process.ts'
import { BESIDE_THE_PLATFORM, startPlatform } from '../trials/platform.ts'
import { countCosts } from './count-costs.ts'
import { benchDatabase, runOn } from './database.ts'

/** How far the metafields of a store are: owners that wait, whether a walk is under way, and how many metafields were written. */
export type MetafieldsLeft = { due: number; walks: number; written: number }

/**
 * A platform in this process whose calls are counted, and a service beside it in a process of its own, which `start` starts. `connect` has
 * a store call the platform through the counter, by a clock that runs.
 */
export async function startCountedPlatform() {
  const database = await benchDatabase()
  const dataDir = await mkdtemp(join(tmpdir(), 'perennial-bench-'))
  const port = await freePort()
  const platform = await startPlatform(database.url, `http://127.0.0.1:${port}`)
  const line = await countCosts(platform.url)
  const run = (statement: string) => runOn(database.url, statement)
  const one = async <Row>(statement: string) => (await run(statement)).rows[0] as Row
  return {
    databaseUrl: database.url,
    platform,
    line,
    run,
    one,
    start: () => startProcess({ databaseUrl: database.url, dataDir, port, env: BESIDE_THE_PLATFORM }),
    connect: (storeId: number, domain: string) =>
      run(`update stores set platform_url = '${line.url}/${domain}', clock_at = null where store_id = ${storeId}`),
    metafieldsLeft: (storeId: number) =>
      one<MetafieldsLeft>(
        `select (select count(*) from metafield_owners where store_id = ${storeId} and due_at is not null)::int as due,
                (select count(*) from metafield_stores where store_id = ${storeId} and (finished_at is null or phase <> 'start' or is_asked))::int as walks,
                (select written from metafield_stores where store_id = ${storeId})::int as written`
      ),
    async close() {
      line.close()
      await platform.close()
      await rm(dataDir, { recursive: true, force: true })
      await database.close()
    }
  }
}
