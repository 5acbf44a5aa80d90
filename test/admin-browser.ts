// The admin interface in a real browser, with the real service behind it.
import assert from 'node:assert/strict'
import { base32 } from '@better-auth/utils/base32'
import { createOTP } from '@better-auth/utils/otp'
import type { Page } from 'playwright-core'
import type { Role } from '#team'
import type { ServiceOnItsOwn } from './service-builder.ts'
import { accessible, picture, type Visit, visit } from './storefront-browser.ts'
import { aTeam, PASSWORD } from './team.ts'

type Service = Pick<ServiceOnItsOwn, 'url' | 'urls' | 'admin'>

let people = 0

/** Opens the interface of a service as somebody with a role, who was invited and has signed in; `isSignedIn: false`: who has not yet. */
export async function openAdmin(
  service: Service,
  {
    path = '/',
    isSignedIn = true,
    role = 'owner',
    ...options
  }: Partial<Visit> & { path?: string; isSignedIn?: boolean; role?: Role } = {}
) {
  const opened = await visit({ shop: service.url, locale: 'en-GB', ...options })
  const person = await aTeam(service).person(`person-${++people}@example.com`, role)
  if (isSignedIn) {
    const cookies = person.cookie.split('; ').map((pair) => {
      const [name, ...value] = pair.split('=')
      return { name: name!, value: value.join('='), url: service.url }
    })
    await opened.page.context().addCookies(cookies)
  }
  await opened.page.goto(`${service.url}/admin${path}`)
  return {
    ...opened,
    person: { ...person, password: PASSWORD },
    /** Ends their sessions, as an owner does. */
    endSessions: () => service.admin('DELETE', `/team/people/${person.id}/sessions`)
  }
}

/** What the browser says of requests that were refused is not about the page. */
export const withoutStatuses = (complaints: string[]) =>
  complaints.filter((text) => !text.startsWith('Failed to load resource'))

/** Each colour scheme and each width once; where pictures are kept for people, every pair. */
const LOOKS = [
  { colorScheme: 'light', width: 1280 },
  { colorScheme: 'dark', width: 390 },
  ...(process.env.SCREENSHOTS
    ? ([
        { colorScheme: 'dark', width: 1280 },
        { colorScheme: 'light', width: 390 }
      ] as const)
    : [])
] as const

const UNMOVED = `Promise.allSettled(
  document.getAnimations().filter((one) => Number.isFinite(one.effect.getComputedTiming().endTime)).map((one) => one.finished)
)`

/** The names of tables of which a part is seen only by scrolling sideways. */
export const CUT_TABLES = `[...document.querySelectorAll('table')]
  .filter((table) => table.scrollWidth > table.parentElement.clientWidth + 1)
  .map((table) => (table.ariaLabel ?? table.innerText.slice(0, 60)) + ': ' + table.scrollWidth + ' of ' + table.parentElement.clientWidth)`

/** What is shown is accessible in light and dark, no wider than a wide and a narrow window, and kept as pictures. */
export async function looked(page: Page, name: string): Promise<void> {
  await settled(page)
  const before = page.viewportSize()!
  for (const { colorScheme, width } of LOOKS) {
    await page.emulateMedia({ colorScheme })
    await page.setViewportSize({ width, height: 900 })
    await page.locator(`html[data-mantine-color-scheme=${colorScheme}]`).waitFor()
    // The navigation slides out of a window that becomes narrow.
    await page.evaluate(UNMOVED)
    const look = `${name}-${colorScheme}-${width}`
    await picture(page, look)
    await accessible(page, look)
    assert.equal(await page.evaluate('document.documentElement.scrollWidth'), width, `the width of ${look}`)
    if (width < 500) assert.deepEqual(await page.evaluate(CUT_TABLES), [], `tables of ${look} that are cut off`)
  }
  await page.emulateMedia({ colorScheme: null })
  await page.setViewportSize(before)
}

/** The page shows what it has asked for. The workbench never stops asking: nothing on it changes by that. */
export async function settled(page: Page): Promise<void> {
  if (!page.url().includes('/workbench')) await page.waitForLoadState('networkidle')
  await page.locator('[aria-label=Loading]').first().waitFor({ state: 'detached' })
}

/** Gives somebody an authenticator app. Returns what makes its codes. */
export async function aSecondFactor(service: Service, { email, cookie }: { email: string; cookie: string }) {
  const { ask } = aTeam(service)
  const enabled = await ask('POST', '/admin/auth/two-factor/enable', { cookie, body: { password: PASSWORD } })
  const secret = new URL(enabled.body.totpURI).searchParams.get('secret')!
  const code = () => createOTP(new TextDecoder().decode(base32.decode(secret))).totp()
  const { status } = await ask('POST', '/admin/auth/two-factor/verify-totp', { cookie, body: { code: await code() } })
  if (status !== 200) throw new Error(`${email} has no second factor: ${status}`)
  return code
}
