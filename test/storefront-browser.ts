import assert from 'node:assert/strict'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import axe from 'axe-core'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { openBrowser } from './browser.ts'
import { beforeDrop } from './database.ts'

let browser: Promise<Browser> | undefined

export type Visit = BrowserContextOptions & {
  /** Where the shop is in the sandbox. */
  shop: string
  /** Who is logged in, by the platform's number; nobody when left out. */
  customer?: string
  /** What runs in the page before anything else. */
  script?: string
  /** The page's language and direction; those of the shop's theme when left out. */
  page?: { lang: string; dir: 'ltr' | 'rtl' }
}

/** A page of its own in a real browser, in a shop of the sandbox. An error or a warning in its console fails the test. */
export async function visit({ shop, customer, script, page: given, ...options }: Visit) {
  browser ??= openBrowser().then((opened) => {
    // Test files that share a process open one each.
    beforeDrop(async () => {
      browser = undefined
      await opened.close()
    })
    return opened
  })
  const context = await (await browser).newContext({
    viewport: { width: 1000, height: 800 },
    reducedMotion: 'reduce',
    ...options
  })
  const page = await context.newPage()
  page.setDefaultTimeout(60_000)
  const complaints: string[] = []
  page.on('pageerror', (err) => complaints.push(String(err)))
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text())
  })
  if (customer) await context.request.post(`${shop}/session`, { form: { customer } })
  if (script) await page.addInitScript(script)
  if (given) {
    // Before the scripts of the page, which are modules.
    await page.addInitScript(
      `document.addEventListener('readystatechange', () => Object.assign(document.documentElement, ${JSON.stringify(given)}))`
    )
  }
  return {
    page,
    /** What the browser complained about; a request that failed is named by the browser itself. */
    complaints,
    async close() {
      // What a test answers itself may still be on its way.
      await page.unrouteAll({ behavior: 'ignoreErrors' })
      await context.close()
    }
  }
}

/** axe-core finds nothing in the page as it is shown now, or in what of it a selector names. */
export async function accessible(page: Page, what: string, within?: string): Promise<void> {
  await page.evaluate(axe.source)
  const { violations } = (await page.evaluate(`axe.run(${within ? JSON.stringify(within) : ''})`)) as {
    violations: { id: string; nodes: { target: string[]; failureSummary: string }[] }[]
  }
  const found = violations.flatMap(({ id, nodes }) => nodes.map((one) => `${id} ${one.target}: ${one.failureSummary}`))
  assert.deepEqual(found, [], what)
}

/** Keeps a picture for people, where SCREENSHOTS names a folder for them. */
export async function picture(page: Page, name: string): Promise<void> {
  const folder = process.env.SCREENSHOTS
  if (!folder) return
  await mkdir(folder, { recursive: true })
  await page.screenshot({ path: join(folder, `${name}.png`) })
}
