// What the Churn API refuses, and what is left where the platform refuses, is away, or does not answer.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { activateOffer } from '#churn'
import { int, row, sql, text } from '#kit/postgres'
import type { Connector, PlatformFailure } from '#platform'
import { listAlerts } from '#stores'
import { findSubscriptionByContract } from '#subscriptions'
import { beginActivation } from '../src/churn/activation/begin-activation.ts'
import { createChurnEngine } from '../src/churn/ends/churn-engine.ts'
import { holdRestoredStore } from '../src/sync/restored-store.ts'
import { aChurnShop, EVERY_TWO_MONTHS, QUARTER_OFF, TEN_CREDIT } from './churn-shop.ts'
import { withCalls } from './connectors.ts'
import { testDatabase } from './database.ts'
import { startService } from './service-builder.ts'

const { url } = await testDatabase()
const service = await startService(url)
const { db } = service

async function aMember() {
  const shop = await aChurnShop(service)
  const ada = await shop.person()
  const vip = await shop.join(ada, 'VIP')
  const { storeId, connector } = shop
  const subscriptionId = await db.inStore(
    storeId,
    async (ctx) => (await findSubscriptionByContract(ctx, vip.contractId))!.id
  )
  const rows = () =>
    db.inStore(storeId, ({ tx }) =>
      tx.many(row({ status: text }), sql`select status from contract_offers where store_id = ${storeId} order by id`)
    )
  return {
    ...shop,
    ada,
    vip,
    subscriptionId,
    acceptance: (offerId: number) => ({
      subscriptionId,
      offerId,
      reason: null,
      isShopper: true,
      by: 'customer' as const
    }),
    statuses: async () => (await rows()).map(({ status }) => status),
    /** Accepts an offer with some calls of the platform replaced. */
    acceptWith: (offerId: number, calls: Partial<Connector['contracts']>, withinMs?: number) =>
      activateOffer(
        {
          db,
          connectorOf: async () => withCalls(connector, { contracts: calls }),
          ...(withinMs !== undefined && { withinMs })
        },
        storeId,
        { subscriptionId, offerId, reason: null, isShopper: true, by: 'customer' }
      ),
    cancel: async () => {
      const { status } = await shop.ask('POST', `/churn/${vip.contractId}/cancellation`, { as: ada, body: {} })
      assert.equal(status, 200)
    },
    /** What the platform's contract has: its discounts, and every how many months it is billed. */
    onPlatform: async () => {
      const found = await connector.contracts.find(vip.contractId)
      assert.ok(found.ok && found.value)
      return [await shop.onContract(vip.contractId), found.value.intervalCount]
    },
    alerts: async () => (await db.inStore(storeId, (ctx) => listAlerts(ctx))).alerts.map(({ kind }) => kind),
    /** As if nobody waited any more for what was begun. */
    late: async () => {
      await db.inStore(storeId, ({ tx }) =>
        tx.run(sql`
        update contract_offers set answer_by = statement_timestamp() - interval '1 second'
         where store_id = ${storeId} and status = 'applying'`)
      )
      const engine = createChurnEngine({ db, connectorOf: async () => connector })
      await engine.runOnce(storeId)
      await shop.wake()
      await shop.settle()
    }
  }
}

const failing = (failure: PlatformFailure) => async () => ({ ok: false as const, failure })
const AWAY: PlatformFailure = { kind: 'unavailable', message: 'connect ECONNREFUSED' }
const REFUSED: PlatformFailure = { kind: 'rejected', code: 'invalid', message: 'The discount is not allowed' }
const LOST: PlatformFailure = { kind: 'unavailable', message: 'socket hang up', outcomeUnknown: true }

test('who may ask: a key with its scope, or the customer on their own contract', async () => {
  const shop = await aMember()
  const offer = await shop.offer(QUARTER_OFF)
  const bob = await shop.person('bob@example.com')
  const path = `/churn/${shop.vip.contractId}/offers`
  const { key: reader } = await service.admin('POST', `${shop.at}/keys`, { name: 'reader', scopes: ['read:churn'] })
  const status = async (...asked: Parameters<typeof shop.ask>) => (await shop.ask(...asked)).status
  assert.equal(await status('GET', path), 401)
  assert.equal(await status('GET', path, { key: 'sk_wrong' }), 401)
  assert.equal(await status('GET', path, { as: bob }), 403)
  assert.equal(await status('GET', path, { as: shop.ada }), 200)
  assert.equal(await status('GET', path, { key: reader }), 200)
  // A key wins: it may read contracts of others than who is logged in.
  assert.equal(await status('GET', path, { key: reader, as: bob }), 200)
  assert.equal(await status('GET', path, { key: 'sk_wrong', as: shop.ada }), 401)
  const lacking = await shop.accept(shop.vip.contractId, offer, { key: reader })
  assert.deepEqual([lacking.status, lacking.body], [403, { message: 'This key lacks the scope write:churn' }])
  assert.equal((await shop.accept(shop.vip.contractId, offer, { as: bob })).status, 403)
  assert.deepEqual(await shop.statuses(), [])
})

test('what is not there, and what is no reason', async () => {
  const shop = await aMember()
  const offer = await shop.offer(QUARTER_OFF)
  const off = await shop.offer({ ...TEN_CREDIT, isOn: false })
  const { ada, key } = shop
  assert.equal((await shop.ask('GET', '/churn/999/offers', { key })).status, 404)
  assert.equal((await shop.accept('999', offer, { as: ada })).status, 404)
  for (const unknown of [99_999, off, 'seven', '1.5']) {
    const answer = await shop.accept(shop.vip.contractId, unknown, { as: ada })
    assert.deepEqual([answer.status, answer.body], [404, { message: `There is no offer ${unknown}` }])
  }
  for (const path of ['/churn/offers', `/churn/${shop.vip.contractId}/offers/${offer}/activation`]) {
    const answer = await shop.ask(path === '/churn/offers' ? 'GET' : 'POST', path, {
      key,
      query: { cancellation_reason: 'cheap' }
    })
    assert.equal(answer.status, 422)
    assert.match(answer.body.errors.cancellation_reason[0], /^must be one of too_expensive, /)
  }
  assert.deepEqual(await shop.statuses(), [])
})

test('without JSON a customer posts nothing, so that no page of somebody else can', async () => {
  const shop = await aMember()
  const offer = await shop.offer(TEN_CREDIT)
  const signed = await shop.ask('GET', '/account', { as: shop.ada })
  assert.equal(signed.status, 200)
  const { signedQuery } = await import('../src/http/storefront/signed.test-helper.ts')
  const { platformAccess } = await import('#stores')
  const { testVault } = await import('./store-builder.ts')
  const credentials = await platformAccess(db, testVault, shop.storeId)
  const query = signedQuery({ domain: shop.domain, credentials }, {}, { customerId: shop.ada })
  const at = `${service.urls.public}/apps/svc-api/v1/membership`
  for (const path of [
    `/churn/${shop.vip.contractId}/offers/${offer}/activation`,
    `/contracts/${shop.vip.contractId}/skip`
  ]) {
    for (const type of [undefined, 'text/plain', 'application/x-www-form-urlencoded']) {
      const response = await fetch(`${at}${path}?${query}`, {
        method: 'POST',
        ...(type && { headers: { 'content-type': type }, body: 'a=b' })
      })
      assert.equal(response.status, 422, `${path} ${type}`)
    }
  }
  assert.deepEqual(await shop.statuses(), [])
})

test('one active offer for a contract; each offer once; an ended contract none; a paused one may', async () => {
  const shop = await aMember()
  const [first, second] = [await shop.offer(TEN_CREDIT), await shop.offer(QUARTER_OFF)]
  const { vip, ada } = shop
  assert.equal((await shop.accept(vip.contractId, first, { as: ada })).status, 200)
  const other = await shop.accept(vip.contractId, second, { key: shop.key })
  assert.deepEqual([other.status, other.body], [403, { message: 'This contract already has an active offer' }])
  await shop.charged(vip.id, '2026-03-01T00:00:00Z')
  const again = await shop.accept(vip.contractId, first, { as: ada })
  assert.deepEqual([again.status, again.body.message], [403, 'This offer was already used on this contract'])
  await shop.move(vip.id, 'pause')
  assert.equal((await shop.accept(vip.contractId, second, { as: ada })).status, 200)
  assert.deepEqual(await shop.onContract(vip.contractId), ['SVC: Stay (ref. …) 0/2'])
  const coffee = await shop.join(ada, 'Coffee')
  await shop.move(coffee.id, 'cancel')
  const ended = await shop.accept(coffee.contractId, first, { as: ada })
  assert.deepEqual(
    [ended.status, ended.body.message],
    [403, 'This contract has ended: an offer cannot be applied to it']
  )
  await shop.soundRules()
})

test('an offer that does not fit: below zero, a frequency that it has or that a membership cannot have', async () => {
  const shop = await aMember()
  const off = (discount_value: number) => ({ discount_type: 'fixed_amount', discount_value })
  for (const [given, why] of [
    [{ type: 'discount_price', rules: off(29.01) }, 'it takes off more than the contract costs'],
    [
      { type: 'change_frequency', rules: { interval_count: 1, interval_name: 'month' } },
      'the contract has this frequency already'
    ],
    [
      { type: 'change_frequency', rules: { interval_count: 5, interval_name: 'day' } },
      'a membership is billed every 1 to 28 weeks or months'
    ],
    [
      { type: 'discount_price', rules: { discount_type: 'percentage', discount_value: 100 }, target: 'SHIPPING_LINE' },
      'its delivery is free already'
    ]
  ] as const) {
    const { status, body } = await shop.accept(shop.vip.contractId, await shop.offer(given), { as: shop.ada })
    assert.deepEqual([status, body.message], [403, `This offer does not fit this contract: ${why}`])
  }
  assert.equal(
    (
      await shop.accept(shop.vip.contractId, await shop.offer({ type: 'discount_price', rules: off(29) }), {
        as: shop.ada
      })
    ).status,
    200
  )
  assert.deepEqual(await shop.statuses(), ['active'])
})

test('eligibility is for customers, and a program may do without', async () => {
  const shop = await aMember()
  const offer = await shop.offer({ ...TEN_CREDIT, minMemberDays: 30 })
  const later = await shop.offer({ ...QUARTER_OFF, minDaysSinceOffer: 90 })
  const { vip, ada, key } = shop
  const shownTo = async () =>
    (await shop.ask('GET', '/churn/offers', { as: ada, query: { contract_id: vip.contractId } })).body.flatMap(
      (one: any) => one.offers.map(({ id }: any) => id)
    )
  assert.deepEqual(await shownTo(), [later])
  const early = await shop.accept(vip.contractId, offer, { as: ada })
  assert.deepEqual([early.status, early.body.message], [403, 'This offer is not for this contract at present'])
  assert.equal((await shop.accept(vip.contractId, offer, { key })).status, 200)
  await shop.charged(vip.id, '2026-03-03T00:00:00Z')
  assert.deepEqual(await shownTo(), [])
  await shop.advance({ to: '2026-06-03T00:00:00Z' })
  assert.deepEqual(await shownTo(), [later])
})

test('while the store is on hold after a restore nothing is applied; customers read a sentence for them', async () => {
  const shop = await aMember()
  await db.inStore(shop.storeId, holdRestoredStore)
  for (const given of [QUARTER_OFF, EVERY_TWO_MONTHS]) {
    const offer = await shop.offer(given)
    const { status, body } = await shop.accept(shop.vip.contractId, offer, { as: shop.ada })
    assert.deepEqual(
      [status, body],
      [503, { message: 'Offers cannot be accepted at present, and nothing was changed: try again later' }]
    )
    const ofProgram = await shop.accept(shop.vip.contractId, offer, { key: shop.key })
    assert.equal(ofProgram.status, 503)
    assert.match(ofProgram.body.message, /^The store is on hold since it was restored from a backup/)
  }
  assert.deepEqual(await shop.statuses(), [])
  assert.deepEqual(await shop.onPlatform(), [[], 1])
})

test('of two activations at once one wins', async () => {
  const shop = await aMember()
  const offers = [await shop.offer(QUARTER_OFF), await shop.offer(EVERY_TWO_MONTHS), await shop.offer(TEN_CREDIT)]
  const answers = await Promise.all(
    [...offers, ...offers].map((offer) => shop.accept(shop.vip.contractId, offer, { as: shop.ada }))
  )
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 403, 403, 403, 403, 403])
  assert.deepEqual(await shop.statuses(), ['active'])
  await shop.settle()
  await shop.soundRules()
})

for (const [name, given, call] of [
  ['a discount', QUARTER_OFF, 'addGrant'],
  ['a frequency', EVERY_TWO_MONTHS, 'edit']
] as const) {
  test(`${name} that the platform refuses: a sentence for the customer, nothing remains, the operator sees it`, async () => {
    const shop = await aMember()
    const offer = await shop.offer(given)
    await assert.rejects(shop.acceptWith(offer, { [call]: failing(REFUSED) }), {
      code: 'conflict',
      message: 'The offer could not be applied to this contract. Nothing was changed, and the shop was notified'
    })
    assert.deepEqual(await shop.statuses(), [])
    assert.ok((await shop.alerts()).includes('churn_offer_refused'))
    await shop.wake()
    await shop.settle()
    assert.deepEqual(await shop.onContract(shop.vip.contractId), [])
    assert.equal((await shop.accept(shop.vip.contractId, offer, { as: shop.ada })).status, 200)
    await shop.settle()
    await shop.soundRules()
  })

  test(`${name} while the platform is away: nothing is applied`, async () => {
    const shop = await aMember()
    const offer = await shop.offer(given)
    await assert.rejects(shop.acceptWith(offer, { [call]: failing(AWAY) }), { code: 'unavailable' })
    assert.deepEqual(await shop.statuses(), [])
    await shop.wake()
    await shop.settle()
    assert.deepEqual(await shop.onContract(shop.vip.contractId), [])
    assert.equal((await shop.show(shop.vip.id)).interval_count, 1)
    await shop.soundRules()
  })

  test(`${name} whose answer is lost is asked for again, and applied once`, async () => {
    const shop = await aMember()
    const offer = await shop.offer(given)
    let calls = 0
    const real = shop.connector.contracts[call] as (...args: unknown[]) => Promise<unknown>
    const losing = async (...args: unknown[]) => {
      const result = await real(...args)
      return ++calls === 1 ? { ok: false, failure: LOST } : result
    }
    const { status } = await shop.acceptWith(offer, { [call]: losing } as Partial<Connector['contracts']>)
    assert.equal(status, 'active')
    await shop.settle()
    const { interval_count, offer: shown } = await shop.show(shop.vip.id)
    assert.equal(shown.status, 'Active')
    assert.deepEqual(
      [(await shop.onContract(shop.vip.contractId)).length, interval_count],
      call === 'addGrant' ? [1, 1] : [0, 2]
    )
    await shop.soundRules()
  })

  test(`${name} whose answers are all lost: 503, and what was done there is taken back`, async () => {
    const shop = await aMember()
    const offer = await shop.offer(given)
    const { find, [call]: real } = shop.connector.contracts as unknown as Record<
      string,
      (...args: unknown[]) => unknown
    >
    let isDone = false
    const losing = async (...args: unknown[]) => {
      await real!(...args)
      isDone = true
      return { ok: false, failure: LOST }
    }
    // What was done there is not seen by a read either.
    const calls = { find: (id: string) => (isDone ? failing(AWAY)() : find!(id)), [call]: losing }
    await assert.rejects(shop.acceptWith(offer, calls as Partial<Connector['contracts']>, 800), { code: 'unavailable' })
    await shop.late()
    assert.deepEqual(await shop.statuses(), [])
    assert.deepEqual(await shop.onContract(shop.vip.contractId), [])
    assert.equal((await shop.show(shop.vip.id)).interval_count, 1)
    assert.equal((await shop.show(shop.vip.id)).offer, null)
    await shop.soundRules()
  })

  test(`${name} of a process that died in between is taken back`, async () => {
    const shop = await aMember()
    const offer = await shop.offer(given)
    const begun = await db.inStore(shop.storeId, (ctx) => beginActivation(ctx, shop.acceptance(offer)))
    assert.notEqual(begun.type, 'add_store_credits')
    assert.deepEqual(await shop.statuses(), ['applying'])
    const blocked = await shop.accept(shop.vip.contractId, offer, { as: shop.ada })
    assert.deepEqual(
      [blocked.status, blocked.body.message],
      [403, 'An offer is being applied to this contract: look again in a moment']
    )
    await shop.late()
    assert.deepEqual(await shop.statuses(), [])
    assert.deepEqual(await shop.onContract(shop.vip.contractId), [])
    const left = await db.inStore(shop.storeId, ({ tx }) =>
      tx.one(
        row({ n: int }),
        sql`select count(*)::int as n from contract_grants where store_id = ${shop.storeId} and status <> 'ended'`
      )
    )
    assert.equal(left.n, 0)
    await shop.soundRules()
  })
}

for (const [name, given, call] of [
  ['a discount', QUARTER_OFF, 'addGrant'],
  ['a frequency', EVERY_TWO_MONTHS, 'edit']
] as const) {
  const HAS_ENDED = { code: 'conflict', message: 'This contract has ended: an offer cannot be applied to it' }

  test(`${name} on a contract that is cancelled while the platform applies it: refused, and taken back`, async () => {
    const shop = await aMember()
    const offer = await shop.offer(given)
    const real = shop.connector.contracts[call] as (...args: unknown[]) => Promise<unknown>
    const cancelling = async (...args: unknown[]) => {
      const result = await real(...args)
      await shop.cancel()
      return result
    }
    const calls = { [call]: cancelling } as Partial<Connector['contracts']>
    await assert.rejects(shop.acceptWith(offer, calls), HAS_ENDED)
    assert.deepEqual(await shop.alerts(), [])
    assert.deepEqual(await shop.offersOf(shop.vip.contractId, shop.key), [])
    // Nobody waits for anything: it is taken back without time having passed.
    await createChurnEngine({ db, connectorOf: async () => shop.connector }).runOnce(shop.storeId)
    await shop.settle()
    assert.deepEqual(await shop.statuses(), [])
    assert.deepEqual(await shop.onPlatform(), [[], 1])
    const back = await shop.ask('POST', `/contracts/${shop.vip.contractId}/reactivation`, { as: shop.ada, body: {} })
    assert.deepEqual([back.status, back.body.offer], [200, null])
    await shop.settle()
    assert.deepEqual(await shop.onPlatform(), [[], 1])
    assert.deepEqual(await shop.charged(shop.vip.id, '2026-03-01T00:00:00Z'), [29, 29])
    assert.equal((await shop.accept(shop.vip.contractId, offer, { as: shop.ada })).status, 200, 'it was not used')
    await shop.settle()
    await shop.soundRules()
  })

  test(`${name} that was taken back by another process before the answer came: 503, and nothing is applied`, async () => {
    const shop = await aMember()
    const offer = await shop.offer(given)
    const real = shop.connector.contracts[call] as (...args: unknown[]) => Promise<unknown>
    const slow = async (...args: unknown[]) => {
      const result = await real(...args)
      await shop.late()
      return result
    }
    await assert.rejects(shop.acceptWith(offer, { [call]: slow } as Partial<Connector['contracts']>), {
      code: 'unavailable'
    })
    assert.deepEqual(await shop.statuses(), [])
    assert.deepEqual(await shop.onPlatform(), [[], 1])
    await shop.soundRules()
  })

  test(`${name} on a contract that has ended for good by the time that the platform refuses it: no alert`, async () => {
    const shop = await aMember()
    await service.admin('PATCH', `${shop.at}/settings`, { reactivation_grace_hours: 0 })
    const offer = await shop.offer(given)
    const real = shop.connector.contracts[call] as (...args: unknown[]) => Promise<unknown>
    const cancelled = async (...args: unknown[]) => {
      await shop.cancel()
      await shop.settle()
      return real(...args)
    }
    await assert.rejects(shop.acceptWith(offer, { [call]: cancelled } as Partial<Connector['contracts']>), HAS_ENDED)
    assert.deepEqual(await shop.alerts(), [])
    await shop.late()
    assert.deepEqual(await shop.statuses(), [])
    await shop.soundRules()
  })
}

test('a frequency that the platform has on a contract that ended for good is left there', async () => {
  const shop = await aMember()
  await service.admin('PATCH', `${shop.at}/settings`, { reactivation_grace_hours: 0 })
  const offer = await shop.offer(EVERY_TWO_MONTHS)
  const edit: Connector['contracts']['edit'] = async (...args) => {
    const result = await shop.connector.contracts.edit(...args)
    await shop.cancel()
    await shop.settle()
    return result
  }
  await assert.rejects(shop.acceptWith(offer, { edit }), { code: 'conflict' })
  await shop.late()
  assert.deepEqual(await shop.statuses(), [])
  assert.equal((await shop.show(shop.vip.id)).interval_count, 1)
  await shop.soundRules()
})
