import assert from 'node:assert/strict'
import { sql } from '#kit/postgres'
import { OPERATOR_TOKEN, type startService } from './service-builder.ts'

type Service = Awaited<ReturnType<typeof startService>>
type Store = Awaited<ReturnType<Service['aStore']>>

/** A store, and helpers that create contracts on its platform and import them here. */
export async function aStoreForImports(service: Service, options: Record<string, unknown> = {}) {
  const store: Store = await service.aStore(options)
  const { sandbox, urls, sandboxDb } = service
  await service.deps.settle(store.storeId)

  const call = (method: string, path: string, body?: string, type = 'text/csv') =>
    fetch(`${urls.public}/admin/api${store.at}${path}`, {
      method,
      headers: { authorization: `Bearer ${OPERATOR_TOKEN}`, ...(body ? { 'content-type': type } : {}) },
      body
    })
  return {
    store,
    /** Creates contracts of the shop, one customer with a card for every twenty. No message is sent about them. */
    async contracts(
      firstId: number,
      count: number,
      over: (i: number) => {
        price?: string
        status?: 'ACTIVE' | 'PAUSED' | 'CANCELLED'
        nextBillingAt?: string
      } = () => ({})
    ): Promise<string[]> {
      const ids = Array.from({ length: count }, (_, i) => String(firstId + i))
      const customerOf = (i: number) => String(firstId * 10 + Math.floor(i / 20))
      const people = [...new Set(ids.map((_, i) => customerOf(i)))]
      await sandbox.controls.importFixtures({
        storeId: store.storeId,
        customers: people.map((id) => ({ id, email: `c${id}@example.com`, firstName: 'Ada' })),
        contracts: ids.map((id, i) => ({ id, customerId: customerOf(i), price: '29.00', ...over(i) }))
      })
      await sandboxDb.inInstallation((q) =>
        q.run(sql`
        update sandbox.contracts c set payment_token = m.token from sandbox.payment_methods m
         where c.store_id = ${store.storeId} and m.store_id = c.store_id and m.customer_id = c.customer_id
           and c.payment_token is null`)
      )
      return ids
    },
    start: (body: object) => service.admin('POST', `${store.at}/imports`, body),
    async send(id: string, file: string, type?: string) {
      const response = await call('PUT', `/imports/${id}/rows`, file, type)
      return { status: response.status, body: (await response.json()) as any }
    },
    async import(body: object, file: string, type?: string) {
      const { id } = await service.admin('POST', `${store.at}/imports`, body)
      const sent = await call('PUT', `/imports/${id}/rows`, file, type)
      assert.equal(sent.status, 200, await sent.text())
      return id as string
    },
    settle: () => service.deps.settle(store.storeId),
    show: (id: string) => service.admin('GET', `${store.at}/imports/${id}`),
    report: async (id: string, format: string) => (await call('GET', `/imports/${id}/refused?format=${format}`)).text(),
    refusedLines: async (id: string) =>
      (await (await call('GET', `/imports/${id}/refused`)).text())
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line)),
    counts: () => sandbox.controls.counts(store.storeId),
    charges: () => sandbox.controls.charges(store.storeId)
  }
}

/** The same for a store with customers who have a card, by e-mail address. */
export async function aStoreWithCustomers(service: Service, emails: string[]) {
  const imports = await aStoreForImports(service)
  const customers = new Map<string, string>()
  for (const email of emails) customers.set(email, (await imports.store.customer(email)).id)
  return { ...imports, customers }
}

export const csv = (columns: string[], rows: (string | number)[][]) =>
  `${[columns, ...rows].map((row) => row.join(',')).join('\n')}\n`
