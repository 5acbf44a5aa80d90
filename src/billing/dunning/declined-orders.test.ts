// Charges that no card can pay: held for a person, never retried by themselves, never lost.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { row, text } from '#kit/postgres'
import { testDatabase } from '../../../test/database.ts'
import { at, aSubscriptionLife as lifeOf } from '../../../test/subscription-life.ts'
import { chargesHeld } from '../audit-rules.ts'

const { db } = await testDatabase()
const aSubscriptionLife = () => lifeOf(db)
type Life = Awaited<ReturnType<typeof aSubscriptionLife>>

const SECOND = '2026-02-28T15:00:00Z'
const THIRD = '2026-03-31T14:00:00Z'
const HELD = ['active', 1, 2, 0, null]
const ORDER = 'INVALID_CURRENCY'
const SOFT = 'INSUFFICIENT_FUNDS'

/** What `doctor` says of charges that wait for a person. */
const heldOf = (life: Life) =>
  life.inStore(async (ctx) => ctx.tx.many(row({ subject: text, message: text }), chargesHeld.wrong(ctx)))

async function aDeclinedOrder(code = ORDER): Promise<Life> {
  const life = await aSubscriptionLife()
  await life.goTo(SECOND)
  await life.bill()
  await life.decline(code)
  return life
}

for (const code of [
  ...['INVALID_CURRENCY', 'AMOUNT_TOO_LARGE', 'AMOUNT_TOO_SMALL', 'INVALID_AMOUNT', 'INVALID_PURCHASE_TYPE'],
  ...['PURCHASE_TYPE_NOT_SUPPORTED', 'INVALID_SHIPPING_ADDRESS', 'INVALID_REQUEST', 'FREE_GIFT_CARD_NOT_ALLOWED']
]) {
  test(`${code} is not retried and not given up: it waits for a person, with an alert`, async () => {
    const life = await aDeclinedOrder(code)
    assert.deepEqual(await life.now(), HELD)
    assert.equal(await life.paymentMethodDeadline(), null)
    assert.deepEqual(await life.charges(), [{ status: 'failed', code: 'invalid_order', retries: 0 }])
    assert.deepEqual(await life.alerts(), [`order_declined_${code.toLowerCase()}`])
    const failed = await life.lastEvent('billing.failed')
    assert.deepEqual([failed.error.decline_code, failed.retry_scheduled], [code.toLowerCase(), false])

    await life.goTo('2026-06-15T00:00:00Z')
    await life.bill()
    await life.giveUp()
    assert.deepEqual(await life.now(), HELD, 'neither charged again nor ended')
  })
}

test('an alert names the charge and what to do, once a day for each code', async () => {
  const life = await aDeclinedOrder()
  await life.retry((await life.attempts())[0]!.id)
  await life.decline(ORDER)
  assert.deepEqual(await life.alerts(), ['order_declined_invalid_currency'])
  await life.retry((await life.attempts())[0]!.id)
  await life.decline('INVALID_SHIPPING_ADDRESS')
  assert.deepEqual(await life.alerts(), ['order_declined_invalid_shipping_address', 'order_declined_invalid_currency'])
  await life.goTo('2026-03-01T15:00:01Z')
  await life.retry((await life.attempts())[0]!.id)
  await life.decline(ORDER)
  assert.equal((await life.alerts()).length, 3)
  assert.deepEqual(await heldOf(life), [
    {
      subject: `sub_${life.id}`,
      message:
        'has a charge of cycle 2 that has waited for a person since 2026-03-01 15:00:01+00: invalid_order (invalid_currency)'
    }
  ])
})

test('no payment method starts it, before, during or after the charge', async () => {
  const life = await aDeclinedOrder()
  await life.newCard()
  assert.deepEqual(await life.now(), HELD)

  const during = await aSubscriptionLife()
  await during.goTo(SECOND)
  await during.bill()
  await during.newCard()
  await during.decline(ORDER)
  assert.deepEqual(await during.now(), HELD)
})

test('a person retries it, and billing continues from the anchor', async () => {
  const life = await aDeclinedOrder()
  await life.goTo('2026-03-05T00:00:00Z')
  await life.retry((await life.attempts())[0]!.id)
  await life.pay()
  assert.deepEqual(await life.now(), ['active', 2, 3, 0, THIRD])
  assert.deepEqual(await heldOf(life), [])
})

test('a person skips it: the next cycle is charged on its day', async () => {
  const life = await aDeclinedOrder()
  await life.skip()
  assert.deepEqual(await life.now(), ['active', 1, 3, 0, THIRD])
})

test('within dunning it is held at its step of the schedule, is listed, and can be skipped', async () => {
  const life = await aSubscriptionLife()
  await life.goTo(SECOND)
  await life.bill()
  await life.decline(SOFT)
  await life.goTo('2026-03-02T15:00:00Z')
  await life.bill()
  await life.decline(ORDER)
  assert.deepEqual(await life.now(), ['active', 1, 2, 1, null])
  assert.equal(await life.paymentMethodDeadline(), null)
  assert.equal((await heldOf(life)).length, 1)
  await life.newCard()
  assert.deepEqual(await life.now(), ['active', 1, 2, 1, null])

  // A person tries again, and an ordinary decline goes on with the schedule.
  await life.retry((await life.attempts())[0]!.id)
  await life.decline(SOFT)
  assert.deepEqual(await life.now(), ['active', 1, 2, 1, null])
  assert.equal(await life.paymentMethodDeadline(), '2026-03-23T14:00:00Z', 'waits for a payment method, with an end')

  const skipped = await aSubscriptionLife()
  await skipped.goTo(SECOND)
  await skipped.bill()
  await skipped.decline(SOFT)
  await skipped.goTo('2026-03-02T15:00:00Z')
  await skipped.bill()
  await skipped.decline(ORDER)
  await skipped.skip()
  assert.deepEqual(await skipped.now(), ['active', 1, 3, 0, THIRD])
})

test('a manual retry that meets it cancels the retry of the schedule', async () => {
  const life = await aSubscriptionLife()
  await life.goTo(SECOND)
  await life.bill()
  await life.decline(SOFT)
  await life.retry((await life.attempts())[0]!.id)
  await life.decline(ORDER)
  assert.deepEqual(await life.now(), ['active', 1, 2, 1, null])
  assert.deepEqual(
    (await life.attempts()).map(({ retryAt }) => retryAt),
    [null, null]
  )
  await life.goTo('2026-05-01T00:00:00Z')
  await life.bill()
  assert.equal((await life.attempts()).length, 2)
})

test('a manual retry beside missing stock that finds the card dead waits for a new payment method', async () => {
  const life = await aSubscriptionLife()
  await life.goTo(SECOND)
  await life.bill()
  await life.decline('INSUFFICIENT_INVENTORY')
  assert.deepEqual((await life.now())[4], '2026-03-01T15:00:00Z')
  await life.retry((await life.attempts())[0]!.id)
  await life.decline('INCORRECT_ZIP')
  assert.deepEqual((await life.now())[4], null)
  assert.equal(
    await life.paymentMethodDeadline(),
    at(SECOND)
      .add({ hours: 21 * 24 - 1 })
      .toString()
  )
  await life.newCard()
  assert.deepEqual((await life.now())[4], SECOND)
})

for (const code of [
  ...['INCORRECT_ADDRESS', 'INCORRECT_CVC', 'INCORRECT_NUMBER', 'INCORRECT_PIN', 'INCORRECT_ZIP', 'INVALID_CVC'],
  ...['INVALID_NUMBER', 'INVALID_EXPIRY_DATE', 'INVALID_BILLING_ADDRESS', 'INVALID_PAYMENT_METHOD'],
  ...['INVALID_CUSTOMER_BILLING_AGREEMENT', 'PICK_UP_CARD', 'REVOCATION_OF_ALL_AUTHORIZATIONS']
]) {
  test(`${code} waits for a new payment method and is not retried`, async () => {
    const life = await aDeclinedOrder(code)
    assert.deepEqual(await life.now(), ['active', 1, 2, 1, null])
    assert.equal(await life.paymentMethodDeadline(), '2026-03-21T14:00:00Z')
    assert.deepEqual(await life.alerts(), [])
    await life.goTo('2026-03-20T00:00:00Z')
    await life.bill()
    assert.equal((await life.attempts()).length, 1)
    await life.newCard()
    assert.deepEqual((await life.now())[4], '2026-03-20T00:00:00Z')
  })
}
