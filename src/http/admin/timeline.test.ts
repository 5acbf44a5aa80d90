import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testDatabase } from '../../../test/database.ts'
import { startService } from '../../../test/service-builder.ts'

const { url } = await testDatabase()
const service = await startService(url)

test('a timeline has every kind of entry once, newest first, whatever the size of its parts', async () => {
  const store = await service.aStore()
  const { customer, order_id } = await store.member('ada@example.com')
  await store.member('bob@example.com')
  await store.advance({ by: 'PT1M' })
  await service.admin('POST', `${store.at}/store-credits/${customer.id}/add`, { amount: '5.00', reason: 'Late parcel' })
  const path = `${store.at}/customers/${customer.id}/timeline`
  const { data, next } = await service.admin('GET', path)
  assert.equal(next, null)
  assert.partialDeepStrictEqual(data[0], {
    kind: 'credit',
    text: 'Late parcel',
    amount: 5,
    currency: 'USD',
    balance_after: 5
  })
  assert.deepEqual([...new Set(data.map(({ kind }: any) => kind))].sort(), ['credit', 'order', 'subscription'])
  assert.equal(data.find(({ kind }: any) => kind === 'order').object, order_id)
  assert.match(data.find(({ kind }: any) => kind === 'subscription').object, /^sub_\d+$/)
  assert.deepEqual(
    data.map(({ at }: any) => at),
    data.map(({ at }: any) => at).toSorted((a: string, b: string) => (a < b ? 1 : a > b ? -1 : 0))
  )

  const parts: unknown[] = []
  for (let before: string | null = ''; before !== null; ) {
    const part: any = await service.admin('GET', `${path}?limit=1${before && `&before=${encodeURIComponent(before)}`}`)
    parts.push(...part.data)
    before = part.next
  }
  assert.deepEqual(parts, data)
})

test('a cursor that is none is refused, and a customer of another store is not found', async () => {
  const store = await service.aStore()
  const other = await service.aStore()
  const { customer } = await store.member('ada@example.com')
  for (const cursor of ['x', '2026-01-31T00:00:00Z', '2026-01-31T00:00:00Z~credit', 'yesterday~credit~1']) {
    const refused = service.admin('GET', `${store.at}/customers/${customer.id}/timeline?before=${cursor}`)
    await assert.rejects(refused, /400.*before must be the `next` of the page before/)
  }
  await assert.rejects(service.admin('GET', `${other.at}/customers/${customer.id}/timeline`), /404/)
})

test('points are set by hand, once, and are in the timeline', async () => {
  const store = await service.aStore()
  const { customer } = await store.member('ada@example.com')
  await store.advance({ by: 'PT1M' })
  const path = `${store.at}/loyalty/customers/${customer.id}/points`
  const set = (body: unknown) => service.admin('POST', path, body)
  assert.deepEqual(await set({ balance: 500, reason: 'Sorry' }), { balance: 500, changed: true })
  assert.deepEqual(await set({ balance: 500, reason: 'Sorry' }), { balance: 500, changed: false })
  assert.deepEqual(await set({ balance: 20, reason: 'Too many' }), { balance: 20, changed: true })
  await assert.rejects(set({ balance: -1, reason: 'x' }), /400.*balance must be an integer from 0 to 1000000000/)
  await assert.rejects(set({ balance: 1.5, reason: 'x' }), /400.*balance/)
  await assert.rejects(set({ balance: 1, reason: ' ' }), /400.*reason/)
  const { data } = await service.admin('GET', `${store.at}/customers/${customer.id}/timeline?limit=2`)
  assert.deepEqual(
    data.map(({ kind, text, points, balance_after }: any) => [kind, text, points, balance_after]),
    [
      ['points', 'Too many', -480, 20],
      ['points', 'Sorry', 500, 500]
    ]
  )
  await store.soundBooks()
})

test('a timeline of one kind goes on to its end, also where much happened at once', async () => {
  const store = await service.aStore()
  const customer = await store.customer('ada@example.com')
  for (let nth = 0; nth < 7; nth++) {
    await service.admin('POST', `${store.at}/store-credits/${customer.id}/add`, {
      amount: '1.00',
      reason: `Nr. ${nth}`
    })
  }
  const texts: string[] = []
  for (let before: string | null = ''; before !== null; ) {
    const query: string = `?limit=2${before && `&before=${encodeURIComponent(before)}`}`
    const part: any = await service.admin('GET', `${store.at}/customers/${customer.id}/timeline${query}`)
    texts.push(...part.data.map(({ text }: any) => text))
    before = part.next
  }
  assert.deepEqual(texts, ['Nr. 6', 'Nr. 5', 'Nr. 4', 'Nr. 3', 'Nr. 2', 'Nr. 1', 'Nr. 0'])
})
