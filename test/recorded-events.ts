import assert from 'node:assert/strict'
import { Value } from 'typebox/value'
import { int, oneOf, row, sql, text } from '#kit/postgres'
import { listPlans } from '#plans'
import { ADMIN_PATH, PROFILES } from '#platform'
import { platformAccess } from '#stores'
import { EVENT_SCHEMAS, EVENT_TYPES, type EventType } from '#webhooks'
import type { startService } from './service-builder.ts'
import { testVault } from './store-builder.ts'

type Service = Awaited<ReturnType<typeof startService>>
export type RecordedEvent = { type: EventType; data: any }

/** A store, its shop as the merchant uses it, and the events recorded during an action. */
export async function aStoreWithEvents(service: Service, given: Record<string, unknown> = {}) {
  const store = await service.aStore(given)
  const { storeId, at } = store
  const access = await platformAccess(service.db, testVault, storeId)
  const settle = () => service.deps.settle(storeId)

  /** Calls the shop's Admin API; errors fail the test. Returns the payload if the mutation has one field. */
  async function shop(query: string, variables: Record<string, unknown> = {}): Promise<any> {
    const response = await fetch(`${access.url}${ADMIN_PATH}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        [PROFILES[access.profile].accessTokenHeader]: access.accessToken
      },
      body: JSON.stringify({ query, variables })
    })
    const { data, errors } = (await response.json()) as any
    assert.equal(errors, undefined, JSON.stringify(errors))
    const [payload] = Object.values(data) as any[]
    assert.deepEqual(payload.userErrors ?? [], [])
    return payload
  }

  const contract = (id: string) => ({
    move: (move: 'Pause' | 'Activate' | 'Cancel' | 'Fail' | 'Expire') =>
      shop(
        `mutation($id: ID!) { subscriptionContract${move}(subscriptionContractId: $id) { userErrors { message } } }`,
        { id: `gid://platform/SubscriptionContract/${id}` }
      ),
    /** Edits the contract or its first line through a draft. */
    async edit({ line, ...input }: Record<string, unknown>) {
      const { draft } = await shop(
        `mutation($id: ID!) { subscriptionContractUpdate(contractId: $id) {
           draft { id lines(first: 1) { nodes { id } } } userErrors { message } } }`,
        { id: `gid://platform/SubscriptionContract/${id}` }
      )
      if (line) {
        await shop(
          `mutation($id: ID!, $line: ID!, $input: SubscriptionLineUpdateInput!) {
             subscriptionDraftLineUpdate(draftId: $id, lineId: $line, input: $input) { userErrors { message } } }`,
          { id: draft.id, line: draft.lines.nodes[0].id, input: line }
        )
      }
      await shop(
        `mutation($id: ID!, $input: SubscriptionDraftInput!) {
           subscriptionDraftUpdate(draftId: $id, input: $input) { userErrors { message } } }`,
        { id: draft.id, input }
      )
      await shop(
        'mutation($id: ID!) { subscriptionDraftCommit(draftId: $id) { contract { id } userErrors { message } } }',
        {
          id: draft.id
        }
      )
    },
    nextDate: async () =>
      (
        await shop('query($id: ID!) { subscriptionContract(id: $id) { nextBillingDate } }', {
          id: `gid://platform/SubscriptionContract/${id}`
        })
      ).nextBillingDate as string | null
  })

  async function events(after: number): Promise<RecordedEvent[]> {
    const rows = await service.db.inStore(storeId, ({ tx }) =>
      tx.many(
        row({ type: oneOf(...EVENT_TYPES), data: text, at: text }),
        sql`
        select name as type, data, to_char(occurred_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as at from facts
         where store_id = ${storeId} and id > ${after} and name = any(${[...EVENT_TYPES]}::text[]) order by id`
      )
    )
    return rows.map(({ type, data, at: timestamp }) => {
      const recorded = JSON.parse(data)
      assertDeclared({ event: type, timestamp, webhook_id: 'wh_1', data: recorded })
      return { type, data: recorded }
    })
  }
  const newest = async () =>
    (
      await service.db.inStore(storeId, ({ tx }) =>
        tx.one(row({ id: int }), sql`select coalesce(max(id), 0) as id from facts where store_id = ${storeId}`)
      )
    ).id

  return {
    ...store,
    shop,
    contract,
    settle,
    client: service.client(store.key),
    plan: async (plan: Record<string, unknown>) => {
      await service.admin('POST', `${at}/plans`, { price: '29.00', interval: 'month', ...plan })
      const plans = await service.db.inStore(storeId, listPlans)
      return plans.find(({ name }) => name === plan.name)!
    },
    plans: () => service.db.inStore(storeId, listPlans),
    /** The events of an action and its consequences, each once, in order and in its declared shape. */
    async recorded(act: () => Promise<unknown>): Promise<RecordedEvent[]> {
      await settle()
      const before = await newest()
      await act()
      await settle()
      return events(before)
    },
    /** Processes every message that the platform has ever sent again, the last one first. */
    async replay() {
      await service.db.inStore(storeId, async ({ tx, now }) => {
        await tx.run(sql`
          with again as (delete from inbound_webhooks where store_id = ${storeId} returning *)
          insert into inbound_webhooks (store_id, webhook_id, topic, body, triggered_at, received_at, run_at)
          select store_id, 'again-' || id, topic, body, triggered_at, received_at, ${now} from again order by id desc`)
      })
      await settle()
    }
  }
}

/** Checks that the body has exactly the declared fields with valid values. */
export function assertDeclared(body: { event: EventType; [part: string]: unknown }) {
  const schema = EVENT_SCHEMAS[body.event]
  assert.deepEqual([...Value.Errors(schema, body)], [], body.event)
  assert.deepEqual(Value.Clean(schema, structuredClone(body)), body, body.event)
}

export const types = (recorded: RecordedEvent[]) => recorded.map(({ type }) => type)
