// Many activations of offers at once: one of each contract wins, and the platform has its discount, whatever answers get lost.
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { audit } from '#audit'
import { createOffer } from '#churn'
import { type Database, int, row, sql, text } from '#kit/postgres'
import { randomFrom } from '#kit/random'
import { platformAccess } from '#stores'
import { signedQuery } from '../src/http/storefront/signed.test-helper.ts'
import { aStoreWithEvents } from '../test/recorded-events.ts'
import { startServiceHere } from '../test/service-here.ts'
import { testVault } from '../test/store-builder.ts'

export type ChurnTrial = {
  databaseUrl: string
  db: Database
  contracts: number
  /** The share of the platform's answers to edits of contracts that get lost after it was done. */
  lost: number
  seed: number
}
export type ChurnReport = {
  contracts: number
  /** Of the activations: applied, refused, and those that were told that nothing was applied. */
  applied: number
  refused: number
  unapplied: number
  /** Edits whose answer could get lost. */
  mutations: number
  /** How often somebody had to try again whose every activation was told so. */
  rounds: number
}

const OFFERS = [
  { discount_type: 'percentage', discount_value: 25 },
  { discount_type: 'percentage', discount_value: 10, recurring_cycle_limit: 3 },
  { discount_type: 'fixed_amount', discount_value: 5 },
  { discount_type: 'fixed_amount', discount_value: 1.5, recurring_cycle_limit: 1 }
]
const EDITS = ['subscriptionContractUpdate', 'subscriptionDraftDiscountAdd', 'subscriptionDraftCommit']
const MAX_ROUNDS = 20
/** How long a call of the platform takes at most. */
const CALL_MS = 40_000

/**
 * Four customers' clicks for each contract at once, each for another offer. Of each contract one is applied; an answer of success comes after the platform has
 * the discount. Contracts whose every click was answered 503 are tried again. In the end each contract has one active offer, and one discount of ours on
 * the platform, which is that of the offer. Throws otherwise.
 */
export async function activateAtOnce({ databaseUrl, db, contracts, lost, seed }: ChurnTrial): Promise<ChurnReport> {
  const random = randomFrom(seed)
  const service = await startServiceHere(databaseUrl)
  const report: ChurnReport = { contracts, applied: 0, refused: 0, unapplied: 0, mutations: 0, rounds: 0 }
  try {
    const store = await aStoreWithEvents(service)
    const { storeId, domain } = store
    const members = await joinMany(service, store, contracts)
    const offers = await db.inStore(storeId, async (ctx) => {
      const made: number[] = []
      for (const [i, rules] of OFFERS.entries()) {
        const input = {
          ...{ name: `Offer ${i}`, description: null, type: 'discount_price' as const, rules, reasons: ['other'] },
          ...{
            target: null,
            isOfEachItem: false,
            minMemberDays: 0,
            minDaysSinceOffer: 0,
            isForTrials: true,
            isOn: true
          }
        }
        made.push((await createOffer(ctx, input)).id)
      }
      return made
    })
    await service.sandbox.controls.setAnswerFaults({ storeId, faults: { lost, mutations: EDITS, seed } })
    const credentials = await platformAccess(db, testVault, storeId)

    const click = async ({ customerId, contractId }: Member, offer: number) => {
      const query = signedQuery({ domain, credentials }, {}, { customerId })
      const path = `/apps/svc-api/v1/membership/churn/${contractId}/offers/${offer}/activation`
      const response = await fetch(`${service.urls.public}${path}?${query}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: '{}'
      })
      const body = (await response.json()) as { reward?: { gid: string }; message?: string }
      if (response.status === 200) {
        const found = (await discountsOf(store, contractId)).filter(({ id }) => id === body.reward?.gid)
        assert.equal(found.length, 1, `${contractId}: answered before the platform has the discount`)
        report.applied++
      } else if (response.status === 403) report.refused++
      else if (response.status === 503) report.unapplied++
      else assert.fail(`${contractId}: answered ${response.status} ${body.message}`)
    }

    for (let open = members; open.length > 0; open = await withoutOffer(db, storeId, members)) {
      assert.ok(report.rounds++ < MAX_ROUNDS, `${open.length} contracts still have no offer`)
      const before = report.unapplied
      const clicks = open.flatMap((member) => offers.map((offer) => ({ member, offer, at: random() })))
      await Promise.all(clicks.sort((a, b) => a.at - b.at).map(({ member, offer }) => click(member, offer)))
      // A call that was not waited for any more ends within its own time.
      if (report.unapplied > before) await sleep(CALL_MS)
      report.mutations += await countMutations(service, storeId)
      await service.sandbox.controls.setAnswerFaults({
        storeId,
        faults: { lost, mutations: EDITS, seed: seed + report.rounds }
      })
      await settleAll(service, db, storeId)
    }
    await service.sandbox.controls.setAnswerFaults({ storeId, faults: null })
    await settleAll(service, db, storeId)
    for (const { contractId } of members) await examine(store, db, contractId)
    assert.deepEqual((await db.inStore(storeId, audit)).findings, [])
    return report
  } finally {
    await service.stop()
  }
}

type Service = Awaited<ReturnType<typeof startServiceHere>>
type Store = Awaited<ReturnType<typeof aStoreWithEvents>>
type Member = { customerId: string; contractId: string }

async function joinMany(service: Service, store: Store, count: number): Promise<Member[]> {
  const members: Member[] = []
  for (let i = 0; i < count; i++) {
    const { id: customerId } = await store.customer(`member${i}@example.com`)
    const joined = await service.admin('POST', `${store.at}/sandbox/joins`, { customer: customerId, plan: 'VIP' })
    members.push({ customerId, contractId: joined.contract_id })
  }
  await store.settle()
  return members
}

const countMutations = async ({ sandboxDb }: Service, storeId: number): Promise<number> => {
  const { n } = await sandboxDb.inInstallation((q) =>
    q.one(row({ n: int }), sql`select faulty_answers as n from sandbox.shops where store_id = ${storeId}`)
  )
  return n
}

/** What the platform has of grants on a contract. */
async function discountsOf({ shop }: Store, contractId: string): Promise<{ id: string; title: string }[]> {
  const { discounts } = await shop(
    'query ($id: ID!) { subscriptionContract(id: $id) { discounts(first: 20) { nodes { ... on SubscriptionManualDiscount { id title } } } } }',
    { id: `gid://platform/SubscriptionContract/${contractId}` }
  )
  return discounts.nodes
}

/** As if the time had passed in which calls can arrive and answers are waited for; then everything that is due. */
async function settleAll({ deps }: Service, db: Database, storeId: number): Promise<void> {
  await db.inStore(storeId, async ({ tx }) => {
    await tx.run(sql`
      update granted_contracts set rests_until = null, settles_at = least(settles_at, statement_timestamp() - interval '1 second')
       where store_id = ${storeId}`)
    await tx.run(sql`
      update contract_offers set answer_by = least(answer_by, statement_timestamp() - interval '1 second')
       where store_id = ${storeId} and status = 'applying'`)
  })
  await deps.settle(storeId)
}

async function withoutOffer(db: Database, storeId: number, members: Member[]): Promise<Member[]> {
  const live = await db.inStore(storeId, ({ tx }) =>
    tx.many(
      row({ contractId: text }),
      sql`
      select s.platform_contract_id as contract_id from contract_offers o
        join subscriptions s on s.store_id = ${storeId} and s.id = o.subscription_id
       where o.store_id = ${storeId} and o.status = 'active'`
    )
  )
  const found = new Set(live.map(({ contractId }) => contractId))
  return members.filter(({ contractId }) => !found.has(contractId))
}

/** One active offer, and on the platform its discount and no other of ours. */
async function examine(store: Store, db: Database, contractId: string): Promise<void> {
  const { storeId } = store
  const offers = await db.inStore(storeId, ({ tx }) =>
    tx.many(
      row({ id: int, status: text, gid: text }),
      sql`
      select o.id, o.status, coalesce(g.platform_id, '') as gid from contract_offers o
        join subscriptions s on s.store_id = ${storeId} and s.id = o.subscription_id
        left join contract_grants g on g.store_id = ${storeId} and g.id = o.grant_id
       where o.store_id = ${storeId} and s.platform_contract_id = ${contractId} and o.status <> 'cancelled'`
    )
  )
  assert.deepEqual(
    offers.map(({ status }) => status),
    ['active'],
    `${contractId}: live offers`
  )
  const discounts = await discountsOf(store, contractId)
  assert.deepEqual(
    discounts.map(({ id }) => id),
    [offers[0]!.gid],
    `${contractId}: discounts on the platform`
  )
}
