// The cost of row-level security for reading one row: a member read in a transaction of its store (like every write) relative to a
// registered direct statement. Usage: node bench/read-paths.ts
import { Database, int, row, sql } from '#kit/postgres'
import { findMember } from '#views'
import { aStore } from '../test/store-builder.ts'
import { benchDatabase, median } from './database.ts'

const MEMBERS = 1_000
const ROUNDS = 5
const ROUND_MS = 1_500
const IN_FLIGHT = 16

const database = await benchDatabase()
const db = new Database({ url: database.url })
try {
  const store = await aStore(db)
  await store.inStore(({ tx, storeId, now }) =>
    tx.run(sql`
      insert into members (store_id, platform_customer_id, email, status, member_since, created_at, updated_at)
      select ${storeId}, 1000000 + n, 'person-' || n || '@example.com', 'active', ${now}, ${now}, ${now}
        from generate_series(1, ${MEMBERS}::int) n`)
  )
  const direct = () => findMember(db.direct, store.storeId, 1 + Math.floor(Math.random() * MEMBERS))
  const inStore = () =>
    store.inStore(({ tx, storeId }) =>
      tx.one(
        row({ id: int }),
        sql`
        select m.id, m.email, m.status, s.currency
          from members m join stores s on s.store_id = m.store_id left join plans p on p.store_id = m.store_id and p.id = m.plan_id
         where m.store_id = ${storeId} and m.id = ${1 + Math.floor(Math.random() * MEMBERS)}`
      )
    )
  const ratios: number[] = []
  for (let round = 0; round < ROUNDS; round++) ratios.push((await rate(inStore)) / (await rate(direct)))
  console.log(JSON.stringify({ bench: 'read-paths', in_store_of_direct: Number(median(ratios).toFixed(2)) }))
} finally {
  await db.close()
  await database.close()
}

async function rate(read: () => Promise<unknown>): Promise<number> {
  const until = performance.now() + ROUND_MS
  let done = 0
  await Promise.all(
    Array.from({ length: IN_FLIGHT }, async () => {
      while (performance.now() < until) {
        await read()
        done++
      }
    })
  )
  return done
}
