// <perennial-cancel> while an offer is being accepted: presses that come twice, answers that are lost, and customers who go on meanwhile.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { noBrowser } from './browser.ts'
import { testDatabase } from './database.ts'
import { startService } from './service-builder.ts'
import { picture, visit } from './storefront-browser.ts'
import { aMember, cancelling, statusOf } from './storefront-member.ts'

const { url } = await testDatabase()
const service = await startService(url, { background: true })
const skip = noBrowser

const EVENTS = `window.seen = []
for (const name of ['step', 'accepted', 'done', 'close'])
  addEventListener('perennial-cancel-' + name, ({ detail }) => window.seen.push([name, detail.step].filter(Boolean).join(' ')))`

/** A member before two offers, whose activations may be held back. */
async function beforeOffers(names = ['25 % off', '50 % off'], options = {}) {
  const member = await aMember(service)
  for (const name of names) {
    const rules = {
      discount_type: 'percentage',
      discount_value: Number.parseInt(name, 10),
      recurring_cycle_limit: 3
    } as const
    await member.anOffer({ name, type: 'discount_price', rules })
  }
  const { page, close } = await visit({ ...member, script: EVENTS, ...options })
  await page.goto(`${member.shop}/`)
  const found = cancelling(page)
  await found.button.click()
  await found.reason('It is too expensive').check()
  await found.next.click()
  await found.heading(names.length > 0 ? 'Before you go' : 'Cancel your membership?').waitFor()
  const accepted = async () => {
    const { data } = (await service.get('/subscriptions', member.store.key)).body
    return data[0].offer?.offer.name ?? null
  }
  const accept = (name: string) => found.dialog.getByRole('listitem').filter({ hasText: name }).getByRole('button')
  return { member, page, close, ...found, accept, accepted, status: found.dialog.getByRole('status') }
}

/** Holds activations back until they may be carried out. */
async function held(page: Awaited<ReturnType<typeof beforeOffers>>['page']) {
  const gate = Promise.withResolvers<void>()
  const seen: string[] = []
  await page.route(/activation/, async (route) => {
    seen.push(route.request().url())
    await gate.promise
    await route.continue()
  })
  return { seen, release: gate.resolve }
}

test('of two presses on offers the first one counts', { skip }, async () => {
  const { page, close, accept, heading, accepted, status, dialog } = await beforeOffers()
  const { seen, release } = await held(page)
  await accept('25 % off').dblclick()
  assert.equal(await accept('50 % off').getAttribute('aria-disabled'), 'true')
  await accept('50 % off').focus()
  await page.keyboard.press('Enter')
  await dialog.getByRole('button', { name: 'Back' }).focus()
  await page.keyboard.press('Enter')
  await heading('Before you go').waitFor()
  release()
  await heading('Thank you for staying').waitFor()
  assert.equal(await status.innerText(), 'The offer is applied: 25 % off')
  assert.equal(seen.length, 1)
  assert.equal(await accepted(), '25 % off')
  await close()
})

for (const [what, isDone, isSeen] of [
  ['is applied', true, true],
  ['is not applied', false, true],
  ['nobody can see', true, false]
] as const) {
  test(`an offer that ${what} when its answer is lost`, { skip }, async () => {
    const { page, close, accept, heading, accepted, status, anyway } = await beforeOffers()
    await page.route(/activation/, async (route) => {
      if (isDone) await route.fetch()
      await route.fulfill({ status: 504, json: { message: 'Gateway timeout' } })
    })
    if (!isSeen) await page.route(/\d\/offers$/, (route) => route.abort())
    await accept('25 % off').click()
    if (isDone && isSeen) {
      await heading('Thank you for staying').waitFor()
      assert.equal(await status.innerText(), 'The offer is applied: 25 % off')
      assert.ok(((await page.evaluate('window.seen')) as string[]).includes('accepted'))
    } else {
      const says = isSeen
        ? /^The offer was not applied, and nothing has changed/
        : /^We could not see whether that worked/
      await status.filter({ hasText: says }).waitFor()
      // It does not keep anybody.
      await anyway.click()
      await heading('Cancel your membership?').waitFor()
    }
    assert.equal(await accepted(), isDone ? '25 % off' : null)
    await close()
  })
}

test('who goes on to cancel while an offer is being accepted is told that it is applied, and can cancel', {
  skip
}, async () => {
  const { member, page, close, accept, heading, accepted, status, anyway, dialog } = await beforeOffers()
  const { release } = await held(page)
  await accept('25 % off').click()
  await anyway.click()
  assert.equal(await status.innerText(), 'One moment…')
  release()
  await heading('Cancel your membership?').waitFor()
  assert.equal(await status.innerText(), 'The offer is applied: 25 % off')
  assert.equal(await dialog.getByRole('button', { name: 'Keep membership' }).isVisible(), true)
  assert.equal(await accepted(), '25 % off')
  await anyway.click()
  await heading('Your membership is cancelled').waitFor()
  assert.deepEqual(await statusOf(member), ['cancelled', 'too_expensive'])
  await close()
})

test('who closes the dialog meanwhile is told below the button', { skip }, async () => {
  const { page, close, accept, button, dialog, outcome } = await beforeOffers(['25 % off'])
  const { release } = await held(page)
  await accept('25 % off').click()
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'hidden' })
  // Nothing else begins before that is known.
  assert.equal(await button.count(), 0)
  release()
  await outcome('Thank you for staying').or(page.getByText('$21.75 every month')).first().waitFor()
  await close()
})

test('a step that is not shown is not said to be', { skip }, async () => {
  const { page, close } = await beforeOffers([])
  assert.deepEqual(await page.evaluate('window.seen'), ['step reasons', 'step confirmation'])
  await close()
})

for (const viewport of [
  { width: 500, height: 400 },
  { width: 360, height: 640 }
]) {
  const size = `${viewport.width} × ${viewport.height}`
  test(`all buttons stay in sight below a list that goes on, ${size}`, { skip }, async () => {
    const { page, close, dialog, accept } = await beforeOffers(['25 % off', '50 % off', '60 % off'], { viewport })
    const inSight = async (step: string, names: string[]) => {
      for (const name of names) {
        const box = await dialog.getByRole('button', { name }).boundingBox()
        assert.ok(box && box.y >= 0 && box.y + box.height <= viewport.height - 16, `${step}: ${name}`)
      }
      await picture(page, `small-${viewport.width}-${step}`)
    }
    await inSight('offers', ['Back', 'Cancel anyway'])
    // The last of the list is reached by scrolling it.
    await accept('60 % off').scrollIntoViewIfNeeded()
    await inSight('offers-end', ['Back', 'Cancel anyway'])
    await dialog.getByRole('button', { name: 'Back' }).click()
    await dialog.getByRole('radio').first().waitFor()
    // A step begins at its top.
    assert.equal(await dialog.locator('[part=body]').evaluate((body) => body.scrollTop), 0)
    await inSight('reasons', ['Keep membership', 'Continue', 'Cancel anyway'])
    await close()
  })
}
