// A payment method that is new here is tried at once where a charge waits for one, whoever has read it first.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Ctx } from '#kit/postgres'
import type { PlatformContract } from '#platform'
import { testDatabase } from '../../test/database.ts'
import { aSubscriptionLife } from '../../test/subscription-life.ts'
import { applyPaymentMethodUpdate } from './apply-payment-method-update.ts'
import { CREATED_HERE } from './imported-subscription.ts'
import { upsertFromContracts } from './upsert-from-contracts.ts'

const { db } = await testDatabase()
const SECOND = '2026-02-28T15:00:00Z'
const LATER = '2026-03-01T10:00:00Z'

const ways: Record<string, (ctx: Ctx, contract: PlatformContract) => Promise<unknown>> = {
  'a message about its contract': (ctx, contract) => upsertFromContracts(ctx, [contract], []),
  'a message about its customer': (ctx, { id, customer, paymentMethodId }) =>
    applyPaymentMethodUpdate(ctx, [customer!.id], [{ contractId: id, methodId: paymentMethodId! }]),
  'an import': (ctx, contract) =>
    upsertFromContracts(ctx, [contract], [], { imported: new Map([[contract.id, { ...CREATED_HERE, importId: 1 }]]) }),
  'the reconciler': (ctx, contract) => upsertFromContracts(ctx, [contract], [], { isReconciling: true })
}

for (const [who, read] of Object.entries(ways)) {
  const aDeclined = async (errorCode: string | null) => {
    const life = await aSubscriptionLife(db)
    await life.goTo(SECOND)
    await life.bill()
    if (errorCode !== null) await life.decline(errorCode)
    await life.goTo(LATER)
    const contract = { ...life.contract, paymentMethodId: 'card-2', revision: '7' }
    return { ...life, hear: () => life.inStore((ctx) => read(ctx, contract)) }
  }

  for (const errorCode of ['EXPIRED_PAYMENT_METHOD', 'INSUFFICIENT_FUNDS']) {
    test(`a new payment method that ${who} shows first is charged at once after ${errorCode}, and once`, async () => {
      const life = await aDeclined(errorCode)
      await life.hear()
      assert.deepEqual(await life.now(), ['active', 1, 2, 1, LATER])
      await life.bill()
      await life.decline('EXPIRED_PAYMENT_METHOD')
      if (who === 'a message about its customer') return
      await life.hear()
      assert.deepEqual(await life.now(), ['active', 1, 2, 2, null], 'the same method again is no news')
    })
  }

  test(`a new payment method that ${who} shows during a charge is tried when that is declined`, async () => {
    const life = await aDeclined(null)
    await life.hear()
    await life.decline('EXPIRED_PAYMENT_METHOD')
    assert.deepEqual(await life.now(), ['active', 1, 2, 1, LATER])
  })
}
