// The plan that a store has chosen as the main one of its type, and what follows it: member prices, and how customers without a
// membership spend store credit. With the sandbox over its socket.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { commandLine } from './command-line.ts'
import { aCreditShop } from './credit-shop.ts'
import { testDatabase } from './database.ts'
import { startService } from './service-builder.ts'

const { url } = await testDatabase()
const service = await startService(url)
const { run, json } = commandLine(service)

const percent = (value: number) => ({ discount: { value, type: 'percentage' } })

/** A store whose VIP plan gives 20 % and credit on the platform, and whose newer plan Gold gives 50 % and codes. */
async function aShop() {
  const shop = await aCreditShop(service)
  const { store } = shop
  const plan = async (body: object) => (await service.admin('POST', `${store.at}/plans`, body)).id as string
  const vip = (await service.admin('GET', `${store.at}/plans`)).data[0].id as string
  await service.admin('PATCH', `${store.at}/plans/${vip}`, { perks: percent(20) })
  const terms = { type: 'vip', price: '59.00', interval: 'month' }
  const perks = { ...percent(50), store_credit: { amount: '5.00', type: 'coupon' } }
  const gold = await plan({ ...terms, name: 'Gold', perks })
  return {
    ...shop,
    vip,
    gold,
    plan,
    settings: (...flags: string[]) => json('store', 'settings', '--store', store.domain, ...flags),
    disable: (id: string) => service.admin('PATCH', `${store.at}/plans/${id}`, { status: 'disabled' }),
    /** What an active VIP member saves on a cart of 10.00. */
    saved: async (customer: string) => {
      const cart = { lines: [{ product_id: '101', price: '10.00' }] }
      const { discount, plan_id } = await service.admin('POST', `${store.at}/pricing/preview`, { cart, customer })
      return [discount, plan_id]
    },
    /** Adds a version that bills so, or shows what it would do. */
    bill: (id: string, every: [interval: string, count: number], action = 'price') => {
      const terms = ['--interval', every[0], '--interval-count', String(every[1])]
      const target = ['--apply-to', action === 'price' ? 'new' : 'all']
      return run(['plan', action, '--store', store.domain, '--id', id, ...target, ...terms])
    }
  }
}

test('members pay by the perks of the chosen plan, whichever plan of the type they hold', async () => {
  const { join, vip, gold, settings, saved, disable } = await aShop()
  const ada = await join('ada@example.com')
  assert.deepEqual(await saved(ada), [2, vip])
  await settings('--main-vip-plan', gold)
  assert.deepEqual(await saved(ada), [5, gold])
  await disable(gold)
  assert.deepEqual(await saved(ada), [2, vip])
})

test('who never held a membership spends credit as the chosen plan says, on the platform too', async () => {
  const { store, add, settle, onPlatform, gold, settings, disable } = await aShop()
  const { id } = await store.customer('new@example.com')
  const way = async () => (await json('credit', 'platform', '--store', store.domain, '--customer', id)).way
  await add(id, '10.00')
  assert.deepEqual([await way(), await onPlatform(id)], ['storecredit', 1000])
  await settings('--main-vip-plan', gold)
  await settle()
  assert.deepEqual([await way(), await onPlatform(id)], ['coupon', 0])
  await disable(gold)
  await settle()
  assert.deepEqual([await way(), await onPlatform(id)], ['storecredit', 1000])
  await settings('--main-vip-plan', 'default')
  assert.equal(await way(), 'storecredit')
})

test('`store settings` chooses the main plan, shows which one counts and why, and says what it refuses', async () => {
  const { store, vip, gold, plan, settings, disable } = await aShop()
  const chosen = await settings('--main-vip-plan', gold)
  assert.deepEqual([chosen.main_plan.vip, chosen.main_plan_in_effect.vip.plan_id], [gold, gold])
  await disable(gold)
  const { out } = await run(['store', 'settings', '--store', store.domain])
  assert.match(out, new RegExp(`^main_plan\\.vip +${gold}$`, 'm'))
  assert.match(out, new RegExp(`^main_plan_in_effect\\.vip\\.plan_id +${vip}$`, 'm'))
  assert.match(
    out,
    new RegExp(`^main_plan_in_effect\\.vip\\.note +${gold} is disabled, so the oldest enabled plan`, 'm')
  )
  const daily = await plan({ name: 'Daily', type: 'elite', price: '1.00', interval: 'day' })
  const refused = await run(['store', 'settings', '--store', store.domain, '--main-elite-plan', daily])
  assert.equal(refused.code, 1)
  assert.match(
    refused.err,
    new RegExp(
      `--main-elite-plan \\(main_plan.elite\\) must be an enabled Elite plan .* weeks or months .*: ${daily} bills every day`
    )
  )
  const wrong = await run(['store', 'settings', '--store', store.domain, '--main-elite-plan', 'Daily'])
  assert.match(wrong.err, /--main-elite-plan cannot be .Daily.\. It must be an id such as plan_4, or `default`/)
  assert.equal((await settings('--main-vip-plan', 'default')).main_plan.vip, null)
})

test('a chosen plan takes no version with which it could not be the main one; another plan does', async () => {
  const { vip, gold, settings, bill } = await aShop()
  await settings('--main-vip-plan', gold)
  for (const action of ['price', 'price-preview']) {
    const refused = await bill(gold, ['day', 10], action)
    assert.equal(refused.code, 1)
    assert.match(
      refused.err,
      /--interval must come to 1 to 28 weeks or months .*, and is every 10 days: the setting main_plan.vip names this plan/
    )
  }
  assert.equal((await bill(gold, ['day', 14])).code, 0)
  assert.equal((await bill(vip, ['day', 10])).code, 0)
  const { main_plan_in_effect } = await settings('--main-vip-plan', 'default')
  assert.deepEqual(main_plan_in_effect.vip, {
    plan_id: gold,
    note: `${vip} bills every 10 days, so the oldest enabled plan that can be the main one counts`
  })
})
