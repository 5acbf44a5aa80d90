// The app's page in the admin of a sandbox shop, in a real browser.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { noBrowser, openBrowser } from './browser.ts'
import { testDatabase } from './database.ts'
import { startService } from './service-builder.ts'

const { url } = await testDatabase()

test('opening the app in the admin, and the link, connect a shop in a browser', { skip: noBrowser }, async () => {
  const service = await startService(url)
  const domain = 'dev.example'
  await service.sandbox.controls.openShop({ domain, name: 'Dev <shop>', timezone: 'Europe/Vienna', currency: 'EUR' })
  const browser = await openBrowser()
  try {
    const page = await browser.newPage()
    const problems: string[] = []
    page.on('console', (message) => void (message.type() === 'error' && problems.push(message.text())))
    page.on('pageerror', (err) => void problems.push(err.message))
    await page.goto(`${service.urls.sandbox}/${domain}/admin`)
    await page.click('text=Perennial')
    const frame = page.frameLocator('iframe')
    await frame.locator('#facts').waitFor()
    assert.equal(await frame.locator('#state').innerText(), 'The shop is connected.')
    assert.deepEqual(
      [await page.locator('h1').innerText(), await frame.locator('h1').innerText()],
      ['Dev <shop>', 'Perennial'],
      'the title stands there once'
    )
    assert.equal(await page.evaluate("getComputedStyle(document.querySelector('iframe')).borderTopStyle"), 'solid')
    assert.match(await frame.locator('#facts').innerText(), /Dev <shop> \(store_1\)/)
    // By the link: the platform's page, and back to the admin.
    await page.goto(`${service.url}/app/install?shop=${domain}`)
    await page.click('button')
    await page.waitForURL(`${service.urls.sandbox}/${domain}/admin/apps/sandbox-app`)
    // Who is connected already is led to the interface.
    await frame.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
    // A scope that is gone is said with what stops.
    await service.admin('POST', '/stores/store_1/sandbox/access', { without: ['write_orders', 'read_orders'] })
    await page.reload()
    await frame.locator('#missing li').first().waitFor()
    assert.match(await frame.locator('#missing').innerText(), /write_orders is not granted: orders get no tags\./)
    assert.deepEqual(problems, [])

    // Outside of the admin the page has no session token; and a stranger's page may not show it.
    await page.goto(`${service.url}/app?shop=${domain}`)
    await page.locator('#state[data-kind=problem]').waitFor()
    assert.equal(
      await page.locator('#state').innerText(),
      "The shop is not connected. The page is not in the admin of a shop. Open Perennial from the apps in the shop's admin."
    )
    // A shop that is not there has no script of the platform either.
    await page.goto(`${service.url}/app?shop=nowhere.example`)
    await page.locator('#state[data-kind=problem]').waitFor()
    assert.equal(
      await page.locator('#state').innerText(),
      "The shop is not connected. This page is not in the admin of a shop, or the address names no shop there. Open Perennial from the apps in the shop's admin."
    )
    // What is in front of the service may answer for it, or nobody.
    for (const [answer, says] of [
      [{ status: 502, contentType: 'text/html', body: '<h1>Bad gateway</h1>' }, /is not Perennial \(status 502\)/],
      [null, /Perennial does not answer\./]
    ] as const) {
      await page.route('**/app/session', (route) => (answer ? route.fulfill(answer) : route.abort()))
      await page.goto(`${service.urls.sandbox}/${domain}/admin/apps/sandbox-app`)
      await frame.locator('#state[data-kind=problem]').waitFor()
      assert.match(await frame.locator('#state').innerText(), says)
      await page.unroute('**/app/session')
    }
    await page.goto('data:text/html,<iframe></iframe>')
    await page.evaluate(`document.querySelector('iframe').src = '${service.url}/app?shop=${domain}'`)
    await page.waitForTimeout(500)
    assert.equal(await page.frameLocator('iframe').locator('#state').count(), 0)
  } finally {
    await browser.close()
  }
})
