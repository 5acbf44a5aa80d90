// An account shows the newest contracts of its customer; what they may do does not depend on what it shows.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { row, sql, text } from '#kit/postgres'
import { aChurnShop } from './churn-shop.ts'
import { testDatabase } from './database.ts'
import { startService } from './service-builder.ts'

const { url } = await testDatabase()
const service = await startService(url)

test('an account has at most 250 contracts, the newest; an older one can be changed all the same', async () => {
  const shop = await aChurnShop(service)
  const ada = await shop.person()
  const oldest = await shop.join(ada, 'Coffee')
  await shop.move(oldest.id, 'cancel')
  await service.db.inStore(shop.storeId, async ({ tx }) => {
    const columns = await tx.many(
      row({ name: text }),
      sql`
      select column_name as name from information_schema.columns
       where table_schema = 'public' and table_name = 'subscriptions' and is_generated = 'NEVER' order by ordinal_position`
    )
    const names = columns.map(({ name }) => `"${name}"`)
    await tx.run({
      name: 'younger_contracts',
      text: `
        insert into subscriptions (${names.join(', ')}) overriding system value
        select ${names.map((name) => `younger.${name}`).join(', ')}
          from subscriptions s, generate_series(1, 250) n,
               jsonb_populate_record(s, jsonb_build_object('id', s.id + n, 'platform_contract_id', (7000000 + n)::text,
                                                           'created_at', s.created_at + n * interval '1 minute')) younger
         where s.store_id = $1`,
      values: [shop.storeId]
    })
  })
  const { body } = await shop.ask('GET', '/account', { as: ada })
  const ids = body.contracts.map(({ contract_id }: { contract_id: string }) => contract_id)
  assert.deepEqual([ids.length, ids[0], ids.at(-1)], [250, '7000250', '7000001'])
  const back = await shop.ask('POST', `/contracts/${oldest.contractId}/reactivation`, { as: ada, body: {} })
  assert.deepEqual([back.status, back.body.contract_id, back.body.status], [200, oldest.contractId, 'ACTIVE'])
})
