// The page of loyalty in the admin interface, in a real browser with the real service and sandbox.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { looked, openAdmin, settled, withoutStatuses } from './admin-browser.ts'
import { noBrowser } from './browser.ts'
import { testDatabase } from './database.ts'
import { aLoyaltyShop } from './loyalty-shop.ts'
import { sentReceipt } from './sent-receipt.ts'
import { startService } from './service-builder.ts'

const { url } = await testDatabase()
const service = await startService(url)
const skip = noBrowser
const shop = await aLoyaltyShop(service)
const { at } = shop.store
const loyalty = async (path: string): Promise<any[]> => (await service.admin('GET', `${at}/loyalty${path}`)).data

test('a rule is created with the fields of its type, and a dry run says what an order would earn', {
  skip
}, async () => {
  const { page, complaints, close } = await openAdmin(service, { path: `${at}/loyalty` })
  await page.getByText('No rules yet').waitFor()
  await page.getByRole('button', { name: 'Create a rule' }).click()
  const dialog = page.getByRole('dialog', { name: 'Create a rule' })
  await dialog.getByRole('combobox', { name: 'For what it rewards' }).click()
  await page.getByRole('option', { name: 'Spending an amount in all' }).click()
  await dialog.getByLabel('Name').fill('Spend 100')
  await dialog.getByLabel('Amount to spend').fill('a lot')
  await dialog.getByLabel('How much').fill('0')
  await dialog.getByRole('button', { name: 'Create a rule' }).click()
  await dialog.getByText('must be an amount above 0').waitFor()
  await dialog.getByText('must be a whole number from 1 to').waitFor()
  await dialog.getByLabel('Amount to spend').fill('30')
  await dialog.getByLabel('How much').fill('500')
  await dialog.getByRole('button', { name: 'Create a rule' }).click()
  await dialog.waitFor({ state: 'detached' })
  const [rule] = await loyalty('/rules')
  assert.deepEqual([rule.type, rule.rules.goal_amount, rule.reward_rules.amount], ['goal_spend', 30, 500])
  await page.getByText(rule.reward_text).waitFor()

  await page.getByRole('link', { name: 'Dry run' }).click()
  await page.getByRole('status').getByText('500 points').waitFor()
  await page.getByLabel('Pieces').fill('1')
  await page.getByRole('row', { name: /Spend 100 .* Counted towards the reward 20 of 30/ }).waitFor()
  await page.getByLabel('Whose order').fill('nobody@example.com')
  await page.getByText('There is a result again when the entries are right.').waitFor()

  await page.getByRole('link', { name: 'Rules', exact: true }).click()
  await page.getByRole('button', { name: 'Edit: Spend 100' }).click()
  const edited = page.getByRole('dialog', { name: 'Spend 100' })
  await edited.getByLabel('Amount to spend').fill('40')
  await service.admin('PATCH', `${at}/loyalty/rules/${rule.id}`, { description: 'Until the end of the year' })
  await edited.getByRole('button', { name: 'Save' }).click()
  await edited.getByText('Somebody else has changed this').waitFor()
  await edited.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Rule saved').waitFor()
  assert.equal((await loyalty('/rules'))[0].rules.goal_amount, 40)

  await page.getByRole('button', { name: 'Switch off: Spend 100' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Switch off' }).click()
  await page.getByText('Spend 100 is off').waitFor()
  await page.getByRole('button', { name: 'Archive: Spend 100' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Archive' }).click()
  await page.getByText('No rules yet').waitFor()
  assert.deepEqual(await loyalty('/rules'), [])
  assert.deepEqual(withoutStatuses(complaints), [])
  await close()
})

test('every type of rules has a form that creates it from its example', { skip }, async () => {
  const types = (await service.admin('GET', '/loyalty/rule-types')).data
  const { page, complaints, close } = await openAdmin(service, { path: `${at}/loyalty` })
  await settled(page)
  const made: string[] = []
  for (const { type, example } of types) {
    await page.getByRole('button', { name: 'Create a rule' }).click()
    const dialog = page.getByRole('dialog', { name: 'Create a rule' })
    const choice = dialog.getByRole('combobox', { name: 'For what it rewards' })
    await choice.click()
    await page.locator(`[role=option][value=${type}]`).click()
    const text = (name: string) => dialog.getByRole('textbox', { name, exact: true })
    await text('Name').fill(type)
    // What only the shop knows is not filled in from the example.
    for (const [key, label] of [
      ['action_key', 'Name of the action'],
      ['tag', 'Tag'],
      ['platform', 'Social network'],
      ['url', 'Page of the shop there']
    ] as const) {
      if (example.rules[key]) await text(label).fill(example.rules[key])
    }
    if (example.reward_rules.product_id) await text('Product').fill(example.reward_rules.product_id)
    await dialog.getByRole('button', { name: 'Create a rule' }).click()
    await dialog.waitFor({ state: 'detached', timeout: 15_000 }).catch(async () => {
      throw new Error(`${type}: ${await dialog.innerText()}`)
    })
    made.push(type)
  }
  const rules = await loyalty('/rules')
  assert.deepEqual(rules.map(({ type }) => type).sort(), made.sort())
  for (const { type, rules: values } of rules) {
    const {
      referred_reward: _,
      limit: __,
      accepted_retailers: ___,
      provider: ____,
      ...wanted
    } = types.find((one: any) => one.type === type).example.rules
    for (const [key, value] of Object.entries(wanted)) assert.deepEqual(values[key], value, `${type}.${key}`)
  }
  for (const { id } of rules) await service.admin('DELETE', `${at}/loyalty/rules/${id}`)
  assert.deepEqual(withoutStatuses(complaints), [])
  await close()
})

test('a receipt is looked at and approved, and the customer has the points', { skip }, async () => {
  const customer = await shop.customer('ada@example.com')
  const ruleId = await shop.rule('upload_receipt', { points_per_dollar: 2 }, { reward_type: 'points' })
  const [first, second] = [
    await sentReceipt(service.db, shop.storeId, { customer, ruleId, says: 'one' }),
    await sentReceipt(service.db, shop.storeId, { customer, ruleId, says: 'two' })
  ]
  const { page, complaints, close } = await openAdmin(service, {
    path: `${at}/loyalty/receipts?status=waiting`,
    role: 'support'
  })
  await page.getByRole('button', { name: `Look: ${first}` }).click()
  const dialog = page.getByRole('dialog', { name: `Receipt ${first}` })
  const image = dialog.getByRole('img', { name: 'The receipt as the customer has sent it' })
  await image.evaluate('(image) => image.decode()')
  await dialog.getByLabel('Amount that counts').fill('minus one')
  await dialog.getByRole('button', { name: 'Approve' }).click()
  await dialog.locator('[aria-invalid=true]').waitFor()
  await dialog.getByLabel('Amount that counts').fill('28.50')
  await looked(page, 'admin-receipt')
  await dialog.getByRole('button', { name: 'Approve' }).click()
  await page.getByText('Approved: 57 points').waitFor()
  await shop.settle()
  assert.deepEqual(await shop.points(customer), [57, 0, 57])

  await page.getByRole('button', { name: `Look: ${second}` }).click()
  const other = page.getByRole('dialog', { name: `Receipt ${second}` })
  await other.getByRole('button', { name: 'Refuse' }).click()
  await other.getByText('must be a text of 1 to 500 characters').waitFor()
  await other.getByLabel('Why it is refused').fill('It cannot be read')
  await other.getByRole('button', { name: 'Refuse' }).click()
  await page.getByText('No receipt matches these filters').waitFor()
  const receipts = await loyalty('/receipts')
  assert.deepEqual(
    receipts.map(({ status, reason, points }) => [status, reason, points]),
    [
      ['refused', 'It cannot be read', null],
      ['approved', null, 57]
    ]
  )
  assert.deepEqual(withoutStatuses(complaints), [])
  await close()
})

test('tiers and coupon templates are created, and a coupon is ended', { skip }, async () => {
  const { page, close } = await openAdmin(service, { path: `${at}/loyalty/tiers` })
  await page.getByRole('button', { name: 'Create a tier' }).click()
  const tier = page.getByRole('dialog', { name: 'Create a tier' })
  await tier.getByLabel('Name').fill('Gold')
  await tier.getByLabel('Points are multiplied by').fill('1000')
  await tier.getByLabel('Spent').fill('50')
  await tier.getByRole('button', { name: 'Create a tier' }).click()
  await tier.locator('[aria-invalid=true]').waitFor()
  await tier.getByLabel('Points are multiplied by').fill('1.5')
  await tier.getByLabel('Coupon, percent').fill('10')
  await tier.getByRole('button', { name: 'Create a tier' }).click()
  await page.getByText('1.5 times the points, a coupon of 10%').waitFor()
  assert.deepEqual((await loyalty('/tiers'))[0].entry_rules, { min_spend: 50 })

  await page.getByRole('link', { name: 'Coupon templates' }).click()
  await page.getByRole('button', { name: 'Create a template' }).click()
  const template = page.getByRole('dialog', { name: 'Create a template' })
  await template.getByLabel('Name').fill('5 off')
  await template.getByLabel('Amount (USD)').fill('5')
  await template.getByLabel('Price in points').fill('many')
  await template.getByRole('button', { name: 'Create a template' }).click()
  await template.getByText('must be a whole number from 1 to').waitFor()
  await template.getByLabel('Price in points').fill('500')
  await template.getByLabel('Begins').fill('2026-07-01T09:30')
  await template.getByRole('button', { name: 'Create a template' }).click()
  await page.getByText('Not within its dates').waitFor()
  const [made] = await loyalty('/templates')
  const begins = Temporal.Instant.from(made.starts_at).toZonedDateTimeISO(shop.store.timezone ?? 'UTC')
  assert.equal(begins.toPlainDateTime().toString(), '2026-07-01T09:30:00')

  await shop.rule('customer_tag', { tag: 'Friend' }, { reward_type: 'free_shipping' }, { name: 'Thanks' })
  const friend = await shop.customer('bob@example.com')
  await service.admin('PUT', `${at}/sandbox/customers/${friend}/tags`, { tags: ['Friend'] }).catch(() => null)
  await shop.order(friend, '60.00')
  await page.getByRole('link', { name: 'Coupons', exact: true }).click()
  await page
    .getByRole('button', { name: /^End: / })
    .first()
    .waitFor()
  const [coupon] = await loyalty('/coupons')
  await page.getByRole('button', { name: `End: ${coupon.code}` }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'End' }).click()
  await page.getByText('The coupon has ended').waitFor()
  assert.equal((await loyalty('/coupons')).find(({ id }) => id === coupon.id).ended_by, 'revoked')
  await close()
})

test('a reward on renewals is shown with how many had it, and is ended', { skip }, async () => {
  const { page, complaints, close } = await openAdmin(service, { path: `${at}/loyalty/renewals`, role: 'support' })
  await page.getByText('No rewards on renewals yet').waitFor()
  await looked(page, 'admin-loyalty-renewals-none')
  const discount = { reward_type: 'subscription_discount', discount_type: 'percentage', discount_amount: 20, cycles: 3 }
  await shop.rule('custom_action', { action_key: 'thanks' }, discount, { name: 'Thanks for staying' })
  const { customer } = await shop.store.member('cleo@example.com')
  const waiting = await shop.customer('dora@example.com')
  for (const id of [customer.id, waiting]) {
    await service.admin('POST', `${at}/loyalty/events`, { customer: id, type: 'custom_action', action_key: 'thanks' })
  }
  await shop.settle()
  const [ofDora, ofCleo] = await loyalty('/subscription-rewards')
  await page.goto(page.url())
  const row = (customer: string) => page.getByRole('row').filter({ hasText: customer })
  await row(ofCleo.customer_id).getByText('20% off each renewal').waitFor()
  await row(ofCleo.customer_id).getByText('0 of 3').waitFor()
  await row(ofDora.customer_id).getByText('Waits for one').waitFor()
  await looked(page, 'admin-loyalty-renewals')
  await page.getByLabel('Status').selectOption({ label: 'Being given' })
  await row(ofCleo.customer_id).waitFor({ state: 'detached' })
  await page.getByLabel('Status').selectOption({ label: 'Active' })
  await page.getByRole('button', { name: `End: Thanks for staying, ${ofCleo.customer_id}` }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'End' }).click()
  await page.getByText('Nothing matches these filters').waitFor()
  await shop.settle()
  const [, ended] = await loyalty('/subscription-rewards')
  assert.deepEqual([ended.status, ended.ended_by, ended.is_on_contract], ['ended', 'revoked', false])
  await page.getByRole('link', { name: 'Rewards on renewals' }).click()
  await row(ofCleo.customer_id).getByText('ended here, or no longer earned').waitFor()
  assert.equal(await page.getByRole('button', { name: /^End: / }).count(), 1)
  assert.deepEqual(withoutStatuses(complaints), [])
  await close()
})

test('who may only read has no action', { skip }, async () => {
  const { page, close } = await openAdmin(service, { path: `${at}/loyalty/receipts`, role: 'read_only' })
  await page.getByRole('table', { name: 'Receipts' }).waitFor()
  assert.equal(await page.getByRole('button', { name: /^Look/ }).count(), 0)
  await page.getByRole('link', { name: 'Rewards on renewals' }).click()
  await page.getByRole('table', { name: 'Rewards on renewals' }).waitFor()
  assert.equal(await page.getByRole('button', { name: /^End/ }).count(), 0)
  await page.getByRole('link', { name: 'Tiers' }).click()
  await page.getByRole('table', { name: 'Tiers' }).waitFor()
  assert.equal(await page.getByRole('button', { name: /^(Edit|Create)/ }).count(), 0)
  await close()
})

test('loyalty is accessible in light and dark, wide and narrow', { skip }, async () => {
  const name = 'n'.repeat(255)
  if (!(await loyalty('/rules')).some((rule) => rule.name === name)) {
    await shop.rule('referral', {}, { reward_type: 'points', amount: 500 }, { name })
    await shop.rule('points_for_purchases', {}, { reward_type: 'points' }, { name: 'Points for purchases' })
  }
  const { page, complaints, close } = await openAdmin(service, { path: at })
  for (const part of ['', 'dry-run', 'tiers', 'templates', 'coupons', 'renewals', 'receipts', 'referrals']) {
    await page.goto(`${service.url}/admin${at}/loyalty${part && `/${part}`}`)
    await page.getByRole('heading', { level: 1 }).waitFor()
    await looked(page, `admin-loyalty-${part || 'rules'}`)
  }
  await page.goto(`${service.url}/admin${at}/loyalty`)
  await page.getByRole('button', { name: 'Edit: n' }).click()
  await looked(page, `admin-loyalty-form`)
  assert.deepEqual(complaints, [])
  await close()
})
