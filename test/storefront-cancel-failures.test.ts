// <perennial-cancel> when something is away: nothing keeps a customer from cancelling, and nobody believes to have cancelled who has not.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { noBrowser } from './browser.ts'
import { beforeDrop, testDatabase } from './database.ts'
import { startService } from './service-builder.ts'
import { startServiceHere } from './service-here.ts'
import { freePort } from './service-process.ts'
import { visit } from './storefront-browser.ts'
import { aMember, cancelling, statusOf } from './storefront-member.ts'
import { until } from './until.ts'

const { url } = await testDatabase()
const service = await startService(url, { background: true })
const skip = noBrowser

/** A platform that reaches the service at a node of its own, which can go away and come back. */
async function aNodeThatGoes() {
  const port = await freePort()
  const platform = await startService(url, { background: true, publicUrl: `http://127.0.0.1:${port}` })
  const start = () => startServiceHere(url, { role: 'web', port })
  let node = await start()
  beforeDrop(() => node.stop())
  return {
    platform,
    stop: () => node.stop(),
    async start() {
      node = await start()
    }
  }
}

test('the service is down: a clear message now, and cancelled by itself once it is up', { skip }, async () => {
  const node = await aNodeThatGoes()
  const member = await aMember(node.platform)
  const ours = { ...member, service }
  const { page, close } = await visit(member)
  await page.goto(`${member.shop}/`)
  const { button, heading, anyway, dialog, outcome } = cancelling(page)
  await button.waitFor()
  await node.stop()

  await button.click()
  await heading('Cancel your membership?').waitFor()
  await anyway.click()
  await heading('Not cancelled yet').waitFor()
  assert.match(await dialog.getByRole('status').innerText(), /does not answer.*we try again by ourselves/)
  // The customer may close it: it goes on, and says so beside the button.
  await page.keyboard.press('Escape')
  await outcome('Not cancelled yet').waitFor()
  await page.getByRole('button', { name: 'Try again now' }).waitFor()
  assert.deepEqual(await statusOf(ours), ['active', null])

  await node.start()
  await outcome('Your membership is cancelled').waitFor()
  assert.deepEqual(await statusOf(ours), ['cancelled', 'other'])
  await close()
})

test('who would rather keep it while the service is down keeps it', { skip }, async () => {
  const node = await aNodeThatGoes()
  const member = await aMember(node.platform)
  const { page, close } = await visit({ ...member, script: "window.__sdrfMode = 'b'" })
  await page.clock.install({ time: 0 })
  await page.goto(`${member.shop}/`)
  const { button, outcome } = cancelling(page)
  await button.waitFor()
  // No wait ends by itself from here on.
  await page.clock.pauseAt(3_600_000)
  await node.stop()
  await button.click()
  await outcome('Not cancelled yet').waitFor()
  const tried = page.waitForRequest(/cancellation/)
  await page.getByRole('button', { name: 'Try again now' }).click()
  await tried
  await page.getByRole('button', { name: 'Keep membership' }).click()
  await button.waitFor()
  assert.equal(await outcome('cancelled').count(), 0)
  await node.start()
  const asked: string[] = []
  page.on('request', (request) => asked.push(request.url()))
  // Longer than any wait: it would have tried by then.
  await page.clock.runFor(120_000)
  assert.deepEqual(asked, [])
  assert.deepEqual(await statusOf({ ...member, service }), ['active', null])
  await close()
})

test('the waits between the tries double, up to a minute', { skip }, async () => {
  const member = await aMember(service)
  const script = `window.__sdrfMode = 'b'; window.waits = 0; addEventListener('perennial-cancel-wait', () => window.waits++)`
  const { page, close } = await visit({ ...member, script })
  await page.clock.install({ time: 0 })
  await page.route(/cancellation$/, (route) => route.abort())
  await page.goto(`${member.shop}/`)
  const { button } = cancelling(page)
  await button.waitFor()
  await page.clock.pauseAt(3_600_000)
  const waits = () => page.evaluate('window.waits')
  await button.click()
  for (const [before, seconds] of [2, 4, 8, 16, 32, 60, 60].entries()) {
    await until('the first try', async () => (await waits()) === before + 1)
    let tries = 0
    const count = () => tries++
    page.on('request', count)
    await page.clock.runFor(seconds * 1_000 - 1)
    assert.equal(tries, 0, `${seconds} s`)
    await page.clock.runFor(1)
    await until('the next try', async () => (await waits()) === before + 2)
    assert.equal(tries, 1, `${seconds} s`)
    page.off('request', count)
  }
  await close()
})

test('an answer that is lost on the way: the next try notices that it is cancelled', { skip }, async () => {
  const member = await aMember(service)
  const { page, close } = await visit({ ...member, script: "window.__sdrfMode = 'b'" })
  let lost = 0
  await page.route(/cancellation$/, async (route) => {
    if (lost++ > 0) return route.continue()
    await route.fetch()
    await route.abort()
  })
  await page.goto(`${member.shop}/`)
  const { button, outcome } = cancelling(page)
  await button.click()
  await outcome('Not cancelled yet').waitFor()
  assert.deepEqual(await statusOf(member), ['cancelled', 'other'])
  await page.getByRole('button', { name: 'Try again now' }).click()
  await outcome('Your membership is cancelled').waitFor()
  await close()
})

test('a browser that is offline says so, and cancels when it is online again', { skip }, async () => {
  const member = await aMember(service)
  const { page, close } = await visit(member)
  await page.clock.install({ time: 0 })
  await page.goto(`${member.shop}/`)
  const { button, heading, anyway, dialog } = cancelling(page)
  await button.waitFor()
  // No wait ends from here on.
  await page.clock.pauseAt(3_600_000)
  await page.context().setOffline(true)
  await button.click()
  await heading('Cancel your membership?').waitFor()
  await anyway.click()
  await heading('Not cancelled yet').waitFor()
  assert.match(await dialog.getByRole('status').innerText(), /does not answer.*Your choice is kept/)
  await page.context().setOffline(false)
  await heading('Your membership is cancelled').waitFor()
  assert.deepEqual(await statusOf(member), ['cancelled', 'other'])
  await close()
})

test('the platform takes no change of contracts: cancelled here at once, and there once it does', {
  skip
}, async () => {
  const member = await aMember(service)
  const access = (without: string[]) => service.admin('POST', `${member.store.at}/sandbox/access`, { without })
  await access(['write_own_subscription_contracts'])
  const { page, close } = await visit({ ...member, script: "window.__sdrfMode = 'b'" })
  await page.goto(`${member.shop}/`)
  const { button, outcome } = cancelling(page)
  await button.click()
  await outcome('Your membership is cancelled').waitFor()
  assert.deepEqual(await statusOf(member), ['cancelled', 'other'])
  await service.deps.settle(member.store.storeId)
  const there = async () => {
    await page.goto(`${member.shop}/`)
    return page.locator('#membership ~ ul .status').innerText()
  }
  assert.equal(await there(), 'active')
  await access([])
  await member.store.advance({ by: 'P1D' })
  assert.equal(await there(), 'cancelled')
  await close()
})

test('the service refuses: its sentence is shown, and the button is there again', { skip }, async () => {
  const member = await aMember(service)
  const other = await member.store.customer('eve@example.com')
  const { page, close } = await visit({ ...member, script: "window.__sdrfMode = 'b'" })
  await page.goto(`${member.shop}/`)
  const { button, outcome } = cancelling(page)
  await button.waitFor()
  // Somebody else logs in, in another tab of this browser.
  await page.context().request.post(`${member.shop}/session`, { form: { customer: other.id } })
  await button.click()
  await outcome('Your membership is not cancelled').waitFor()
  await page.getByText('This contract belongs to another customer').waitFor()
  await button.waitFor()
  assert.deepEqual(await statusOf(member), ['active', null])
  await close()
})

test('what somebody else has cancelled meanwhile is not shown as cancelled here', { skip }, async () => {
  const member = await aMember(service)
  const script = "window.__sdrfMode = 'b'; addEventListener('perennial-cancel-done', () => { window.done = true })"
  const { page, close } = await visit({ ...member, script })
  await page.goto(`${member.shop}/`)
  const { button, outcome } = cancelling(page)
  await button.waitFor()
  const { data } = (await service.get('/subscriptions', member.store.key)).body
  await service.post(`/subscriptions/${data[0].id}/cancel`, member.store.key, { reason: 'too_expensive' })
  await button.click()
  await outcome('You have no membership to cancel.').waitFor()
  await page
    .locator('[part=outcome]')
    .getByText(/already|cancelled/)
    .waitFor()
  assert.equal(await outcome('Your membership is cancelled').count(), 0)
  assert.equal(await page.evaluate('window.done'), undefined)
  assert.deepEqual(await statusOf(member), ['cancelled', 'too_expensive'])
  await close()
})

for (const [what, isEnded] of [
  ['that has ended', true],
  ['of somebody else', false]
] as const) {
  test(`the number of a contract ${what} has no button; where nobody answers, it has`, { skip }, async () => {
    const member = await aMember(service)
    const other = await member.store.customer('eve@example.com')
    const { data } = (await service.get('/subscriptions', member.store.key)).body
    if (isEnded) await service.post(`/subscriptions/${data[0].id}/cancel`, member.store.key, { reason: 'other' })
    const { page, close } = await visit({ shop: member.shop, customer: isEnded ? member.customer : other.id })
    let isAway = false
    await page.route(/membership\/account/, (route) => (isAway ? route.abort() : route.continue()))
    const show = async (id: string) => {
      await page.goto(`${member.shop}/`)
      const markup = `<perennial-cancel id="${id}" contract-id="gid://shopify/SubscriptionContract/${member.contractId}" api="${new URL(member.shop).pathname}/apps/svc-api/v1"></perennial-cancel>`
      await page.locator('main').evaluate((main, html) => main.insertAdjacentHTML('beforeend', html), markup)
    }
    await show('known')
    await page.locator('#known[state=none]').waitFor({ state: 'attached' })
    isAway = true
    await show('unknown')
    const button = page.locator('#unknown [part~=button]')
    await button.waitFor()
    isAway = false
    await page.evaluate("window.__sdrfMode = 'b'")
    await button.click()
    const [title, sentence] = isEnded
      ? ['You have no membership to cancel.', /cancelled|ended/]
      : ['Your membership is not cancelled', /belongs to another customer/]
    await page.locator('#unknown').getByText(title).waitFor()
    assert.match(await page.locator('#unknown').getByRole('status').innerText(), sentence)
    assert.equal(await page.getByText('Your membership is cancelled').count(), 0)
    await close()
  })
}

for (const [what, isDone, isSeen, shown] of [
  ['had arrived is shown as cancelled', true, true, 'Your membership is cancelled'],
  ['had not arrived keeps it', false, true, null],
  ['nobody can see is not known', true, false, 'We could not see whether that worked.']
] as const) {
  test(`who keeps the membership after a try that ${what}`, { skip }, async () => {
    const member = await aMember(service)
    const { page, close } = await visit(member)
    await page.goto(`${member.shop}/membership`)
    const { button, anyway, heading, dialog, reasons } = cancelling(page)
    await button.click()
    await reasons.waitFor()
    await anyway.click()
    await heading('Cancel your membership?').waitFor()
    await page.route(/cancellation$/, async (route) => {
      if (isDone) await route.fetch()
      await route.abort()
    })
    await anyway.click()
    await heading('Not cancelled yet').waitFor()
    if (!isSeen) await page.route(/membership\/account/, (route) => route.abort())
    await dialog.getByRole('button', { name: 'Keep membership' }).click()
    if (shown) {
      await heading(shown).waitFor()
      await dialog.getByRole('button', { name: 'Close' }).click()
    }
    await dialog.waitFor({ state: 'hidden' })
    if (isDone && isSeen) await page.getByRole('button', { name: 'Take the cancellation back' }).waitFor()
    else await button.waitFor()
    assert.equal((await statusOf(member))[0], isDone ? 'cancelled' : 'active')
    await close()
  })
}

test('the second press of two cancels nothing', { skip }, async () => {
  const member = await aMember(service)
  // On a low screen the button is at one place on both steps.
  const { page, close } = await visit({ ...member, viewport: { width: 400, height: 256 } })
  await page.goto(`${member.shop}/`)
  const { button, reasons, anyway, heading } = cancelling(page)
  await button.click()
  await reasons.waitFor()
  await anyway.dblclick()
  await heading('Cancel your membership?').waitFor()
  assert.deepEqual(await statusOf(member), ['active', null])
  await close()
})

test('a shop that cannot get the file shows its own form', { skip }, async () => {
  const member = await aMember(service)
  const { page, close } = await visit(member)
  await page.route(/perennial-cancel/, (route) => route.abort())
  await page.goto(`${member.shop}/`)
  await page.getByText('Cancel this membership').click()
  await page.getByRole('button', { name: 'Cancel membership' }).click()
  await page.getByRole('heading', { name: 'Your membership is cancelled.' }).waitFor()
  assert.deepEqual(await statusOf(member), ['cancelled', 'too_expensive'])
  await close()
})
