// The platform withholds single fields or objects from the app: what came is recorded, what did not is reported once.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parse, type SelectionSetNode } from 'graphql'
import { int, nullable, row, sql, text } from '#kit/postgres'
import { recordOrders } from '#orders'
import { REQUESTED_SCOPES, requestedScopes } from '#platform'
import { ACCESS_SCOPES, SCOPE_OF_TAGGED, scopeOfField, scopeOfTopic, scopeOfType } from '../sandbox/wire/access.ts'
import { makeSchema } from '../sandbox/wire/schema.ts'
import { allDocuments } from '../src/platform/wire/document.ts'
import { TOPICS } from '../src/sync/topics.ts'
import { testDatabase } from './database.ts'
import { startService } from './service-builder.ts'
import { until } from './until.ts'

const { url } = await testDatabase()
const service = await startService(url)
const { controls } = service.sandbox
const MARCH = '2026-03-01T15:00:00Z'

const Charged = row({
  status: text,
  orderName: nullable(text),
  totalMinor: nullable(int),
  email: nullable(text),
  financialStatus: nullable(text),
  card: nullable(text)
})

async function aMember(withheld: string[], scopes: string[] = [...requestedScopes]) {
  const store = await service.aStore()
  const member = await store.member('ada@example.com')
  await controls.setAccess({ storeId: store.storeId, scopes, withheld })
  return { ...store, ...member }
}

const charges = (storeId: number) =>
  service.db.inStore(storeId, ({ tx }) =>
    tx.many(
      Charged,
      sql`
      select a.status, o.name as order_name, o.total_minor, o.email, o.financial_status,
             s.payment_method ->> 'lastFour' as card
        from billing_attempts a
        join subscriptions s on s.store_id = a.store_id and s.id = a.subscription_id
        left join orders o on o.store_id = a.store_id and o.id = a.order_id
       where a.store_id = ${storeId} order by a.id`
    )
  )

const withheldAlerts = async (at: string): Promise<string[]> =>
  (await service.admin('GET', `${at}/alerts`)).data.flatMap(({ kind, message }: { kind: string; message: string }) =>
    kind === 'platform_field_withheld' ? (/read ([\w.]+):/.exec(message)?.[1] ?? message) : []
  )

test('a paid charge is recorded with what may be read of its order, and each withheld field is reported once', async () => {
  const { storeId, at, advance } = await aMember(['Order.email', 'Order.displayFinancialStatus', 'Order.customer'])
  await controls.setWebhookFaults({ storeId, faults: { drop: 1 } })
  await advance({ to: MARCH })
  assert.deepEqual(await charges(storeId), [
    { status: 'success', orderName: '#1002', totalMinor: 2900, email: null, financialStatus: 'paid', card: '4242' }
  ])
  await advance({ to: '2026-04-01T15:00:00Z' })
  assert.equal((await charges(storeId)).length, 2)
  const fields = await withheldAlerts(at)
  for (const field of ['email', 'displayFinancialStatus', 'customer']) {
    assert.equal(fields.filter((name) => name === `nodes.order.${field}`).length, 1, `${field}: ${fields}`)
  }
  assert.deepEqual((await service.admin('POST', '/doctor', {})).findings, [])
})

test('a withheld field does not take away what was known', async () => {
  const { storeId, advance, customer } = await aMember([])
  await advance({ to: MARCH })
  const { email } = (await charges(storeId))[0]!
  assert.equal(email, 'ada@example.com')
  await controls.setAccess({
    storeId,
    withheld: ['Order.email', 'Customer.defaultEmailAddress', 'SubscriptionContract.customerPaymentMethod']
  })
  const { orderId } = (await controls.charges(storeId))[0]!
  const connector = await service.deps.connectorOf(storeId)
  const orders = await connector.orders.findMany([orderId])
  assert.ok(orders.ok)
  const order = orders.value.get(orderId)!
  assert.deepEqual(order.withheld, ['email'])
  await service.db.inStore(storeId, (ctx) => recordOrders(ctx, [order]))
  assert.equal((await charges(storeId))[0]!.email, 'ada@example.com')
  await service.admin('POST', `/stores/store_${storeId}/reconcile`, {})
  const [known] = await service.db.inStore(storeId, ({ tx }) =>
    tx.many(
      row({ email: nullable(text), card: nullable(text), status: text }),
      sql`select m.email, s.payment_method ->> 'lastFour' as card, s.status
            from members m join subscriptions s on s.store_id = m.store_id and s.member_id = m.id
           where m.store_id = ${storeId} and m.platform_customer_id = ${customer.id}`
    )
  )
  assert.deepEqual(known, { email: 'ada@example.com', card: '4242', status: 'active' })
})

test('a charge whose order may not be read at all is recorded as paid', async () => {
  const scopes = requestedScopes.filter((scope) => !scope.endsWith('_orders'))
  const { storeId, advance } = await aMember([], scopes)
  await controls.setWebhookFaults({ storeId, faults: { drop: 1 } })
  await advance({ to: MARCH })
  const [charge] = await charges(storeId)
  assert.deepEqual([charge!.status, charge!.orderName], ['success', null])
  assert.equal((await controls.charges(storeId)).length, 1)
  const { without } = REQUESTED_SCOPES.read_orders
  assert.match(without, /^paid renewals are settled without their order, failed ones are not retried/, 'as it is said')
})

test('a contract whose customer may not be read is not taken for one whose customer was deleted', async () => {
  const { storeId, at, contract_id: id } = await aMember(['SubscriptionContract.customer'])
  await service.admin('POST', `${at}/reconcile`, {})
  const { status } = await service.db.inStore(storeId, ({ tx }) =>
    tx.one(
      row({ status: text }),
      sql`select status from subscriptions where store_id = ${storeId} and platform_contract_id = ${id}`
    )
  )
  assert.equal(status, 'active')
  assert.ok((await withheldAlerts(at)).some((name) => name.endsWith('customer')))
})

test('a customer that may not be read is not taken for a deleted one', async () => {
  const { storeId, at, customer } = await aMember(
    [],
    requestedScopes.filter((scope) => !scope.endsWith('_customers'))
  )
  const connector = await service.deps.connectorOf(storeId)
  const found = await connector.customers.findMany([customer.id])
  assert.ok(!found.ok)
  assert.deepEqual([found.failure.kind, found.failure.code], ['unauthorized', 'access_denied'])
  await until('the alert', async () =>
    (await withheldAlerts(at)).some((message) => message.includes('read objects of the type Customer:'))
  )
})

// The scopes.

const schema = makeSchema({})

/** The scopes that a document needs, by the tables of the sandbox. */
function scopesOf(document: string): Set<string> {
  const { definitions } = parse(document)
  const fragments = new Map(definitions.flatMap((d) => (d.kind === 'FragmentDefinition' ? [[d.name.value, d]] : [])))
  const scopes = new Set<string>()
  const add = (scope: string | null) => scope !== null && scopes.add(scope)
  const walk = (set: SelectionSetNode | undefined, typeName: string): void => {
    for (const selection of set?.selections ?? []) {
      if (selection.kind === 'Field') {
        if (selection.name.value.startsWith('__')) continue
        const type = schema.getType(typeName) as { getFields(): Record<string, { type: { toString(): string } }> }
        const returned = type
          .getFields()
          [selection.name.value]!.type.toString()
          .replace(/[[\]!]/g, '')
        add(scopeOfField(typeName, selection.name.value, returned))
        walk(selection.selectionSet, returned)
        // A change of tags needs the scope of what has them.
        if (/^tags(Add|Remove)$/.test(selection.name.value)) {
          const [, type] = /\bon (\w+)/.exec(document)!
          add(SCOPE_OF_TAGGED[type as keyof typeof SCOPE_OF_TAGGED])
        }
        continue
      }
      const fragment = selection.kind === 'FragmentSpread' ? fragments.get(selection.name.value)! : selection
      const on = fragment.typeCondition!.name.value
      add(scopeOfType(on))
      walk(fragment.selectionSet, on)
    }
  }
  for (const definition of definitions) {
    if (definition.kind !== 'OperationDefinition') continue
    walk(definition.selectionSet, definition.operation === 'mutation' ? 'Mutation' : 'QueryRoot')
  }
  return scopes
}

test('the requested scopes are those that our documents and topics need, and a sandbox store has these', async () => {
  const needed = new Set(allDocuments().flatMap((document) => [...scopesOf(document)]))
  for (const topic of Object.keys(TOPICS)) {
    const scope = scopeOfTopic(topic.replace(/[./]/, '_').toUpperCase())
    if (scope !== null) needed.add(scope)
  }
  assert.deepEqual([...needed].sort(), [...requestedScopes].sort())
  for (const scope of requestedScopes) assert.ok((ACCESS_SCOPES as readonly string[]).includes(scope))

  const store = await service.aStore()
  const response = await fetch(`${service.urls.sandbox}/${store.domain}/admin/api/2026-07/graphql.json`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-platform-access-token': store.platform_token },
    body: JSON.stringify({ query: '{ currentAppInstallation { accessScopes { handle } } }' })
  })
  const { data } = (await response.json()) as any
  assert.deepEqual(
    data.currentAppInstallation.accessScopes.map(({ handle }: { handle: string }) => handle),
    requestedScopes
  )
})
