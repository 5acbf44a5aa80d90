// The storefront switch (spec 2): `window.__sdrfMode` of exactly `b` cancels without questions, and nothing tells which way was shown.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Request } from 'playwright-core'
import { noBrowser } from './browser.ts'
import { testDatabase } from './database.ts'
import { startService } from './service-builder.ts'
import { visit } from './storefront-browser.ts'
import { aMember, cancelling, statusOf } from './storefront-member.ts'

const { url } = await testDatabase()
const service = await startService(url, { background: true })
const skip = noBrowser

test('b cancels at once, without a dialog and without a read', { skip }, async () => {
  const member = await aMember(service)
  const { page, complaints, close } = await visit({ ...member, script: "window.__sdrfMode = 'b'" })
  await page.goto(`${member.shop}/`)
  const { button, dialog, outcome } = cancelling(page)
  await button.waitFor()
  const asked: string[] = []
  page.on('request', (request) => asked.push(`${request.method()} ${request.url().slice(member.shop.length)}`))
  await button.click()
  await outcome('Your membership is cancelled').waitFor()
  assert.equal(await dialog.count(), 0)
  assert.deepEqual(asked, [`POST /apps/svc-api/v1/membership/churn/${member.contractId}/cancellation`])
  assert.deepEqual(await statusOf(member), ['cancelled', 'other'])
  assert.deepEqual(complaints, [])
  await close()
})

test('b also cancels in the card of a membership', { skip }, async () => {
  const member = await aMember(service)
  const { page, close } = await visit({ ...member, script: "window.__sdrfMode = 'b'" })
  await page.goto(`${member.shop}/membership`)
  const { button, dialog } = cancelling(page)
  await button.click()
  await page.getByRole('button', { name: 'Take the cancellation back' }).waitFor()
  assert.equal(await dialog.count(), 0)
  assert.deepEqual(await statusOf(member), ['cancelled', 'other'])
  await close()
})

for (const [what, script, later] of [
  ['B', "window.__sdrfMode = 'B'"],
  ['true', 'window.__sdrfMode = true'],
  ["' b'", "window.__sdrfMode = ' b'"],
  ['an object that reads as b', "window.__sdrfMode = { toString: () => 'b' }"],
  ['b, set after the press', undefined, "window.__sdrfMode = 'b'"],
  ['nothing']
] as const) {
  test(`${what} keeps the dialog`, { skip }, async () => {
    const member = await aMember(service)
    const { page, close } = await visit({ ...member, script })
    await page.goto(`${member.shop}/`)
    const { button, reasons, anyway, heading } = cancelling(page)
    await button.click()
    if (later) await page.evaluate(later)
    await reasons.waitFor()
    await anyway.click()
    await heading('Cancel your membership?').waitFor()
    assert.deepEqual(await statusOf(member), ['active', null])
    await close()
  })
}

test('b is read at each press', { skip }, async () => {
  const member = await aMember(service)
  const { page, close } = await visit(member)
  await page.goto(`${member.shop}/`)
  const { button, reasons, dialog, outcome } = cancelling(page)
  await button.click()
  await reasons.waitFor()
  await page.evaluate("window.__sdrfMode = 'b'")
  await dialog.getByRole('button', { name: 'Keep membership' }).click()
  await button.click()
  await outcome('Your membership is cancelled').waitFor()
  await close()
})

/** All that a request has, apart from what is the member's own. */
async function withoutOwn(request: Request, own: string[]): Promise<object> {
  const { cookie: _cookie, ...headers } = await request.allHeaders()
  const text = JSON.stringify({ url: request.url(), method: request.method(), headers, body: request.postData() })
  return JSON.parse(own.reduce((all, one) => all.replaceAll(one, '…'), text))
}

const NAMES = `window.names = []
for (const name of ['start', 'submit', 'done']) addEventListener('perennial-cancel-' + name, ({ type, detail }) => {
  const { contractId, ...rest } = detail
  window.names.push([type, rest])
})`

/** What is sent when a member cancels, and what their page is told of it. */
async function cancellation(script: string) {
  const member = await aMember(service)
  const { page, close } = await visit({ ...member, script: `${NAMES}; ${script}` })
  await page.goto(`${member.shop}/`)
  const { button, reasons, anyway, heading, outcome, dialog } = cancelling(page)
  const sent = page.waitForRequest((request) => request.url().endsWith('/cancellation'))
  await button.click()
  if (script === '') {
    await reasons.waitFor()
    await anyway.click()
    await heading('Cancel your membership?').waitFor()
    await anyway.click()
    await heading('Your membership is cancelled').waitFor()
    assert.equal(await dialog.count(), 1)
  } else {
    await outcome('Your membership is cancelled').waitFor()
  }
  const request = await withoutOwn(await sent, [member.store.domain, member.contractId])
  const activity = await service.get(
    `/subscriptions/${(await service.get('/subscriptions', member.store.key)).body.data[0].id}/activity`,
    member.store.key
  )
  const found = {
    request,
    events: await page.evaluate('window.names'),
    status: await statusOf(member),
    activity: activity.body.data.map(({ type, message, actor }: Record<string, unknown>) => [type, message, actor])
  }
  await close()
  return found
}

test('the request, what the page is told and what is recorded are the same with and without the dialog', {
  skip
}, async () => {
  const [without, withDialog] = [await cancellation("window.__sdrfMode = 'b'"), await cancellation('')]
  assert.deepEqual(without, withDialog)
  assert.deepEqual(without.status, ['cancelled', 'other'])
})
