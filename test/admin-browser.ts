// The admin interface in a real browser, with the real service behind it.
import type { Page, Route } from 'playwright-core'
import { OPERATOR_TOKEN } from './service-builder.ts'
import { type Visit, visit } from './storefront-browser.ts'

type Person = { id: string; name: string; email: string }

export const OLGA: Person = { id: 'person_1', name: 'Olga Owner', email: 'olga@example.com' }
export const PASSWORD = 'correct horse battery staple'

type Answer = { status: number; body: unknown }

const refusal = (status: number, code: string, message: string, field?: string): Answer => ({
  status,
  body: { error: { code, message, ...(field && { details: [{ field, code: 'invalid', message }] }) } }
})

/**
 * Opens the interface of a service. People and their sessions are played here, in the browser, by the contract of `/admin/auth`; all
 * other requests go to the service, with the operator's token in place of a session.
 */
export async function openAdmin(
  service: { url: string },
  { path = '/', isSignedIn = true, ...options }: Partial<Visit> & { path?: string; isSignedIn?: boolean } = {}
) {
  const opened = await visit({ shop: service.url, locale: 'en-GB', ...options })
  const { page } = opened
  const session = { isOpen: isSignedIn, needsSecondFactor: false, person: OLGA }

  await page.route('**/admin/api/**', (route) => {
    if (!session.isOpen) return answer(route, refusal(401, 'authentication_failed', 'Sign in to go on'))
    if (route.request().url().endsWith('/admin/api/me'))
      return answer(route, { status: 200, body: meOf(session.person) })
    return route.continue({ headers: { ...route.request().headers(), authorization: `Bearer ${OPERATOR_TOKEN}` } })
  })
  await page.route('**/admin/auth/**', (route) => answer(route, answerAuth(route, session)))
  await page.goto(`${service.url}/admin${path}`)
  return { ...opened, session }
}

const meOf = (person: Person) => ({ person, role: 'owner', permissions: ['view'] })

function answerAuth(route: Route, session: { isOpen: boolean; needsSecondFactor: boolean; person: Person }): Answer {
  const { pathname } = new URL(route.request().url())
  const given = (route.request().postDataJSON() ?? {}) as Record<string, string>
  const open = (): Answer => {
    session.isOpen = true
    return { status: 200, body: { user: session.person } }
  }
  switch (pathname.slice('/admin/auth'.length)) {
    case '/sign-in/email':
      if (given.password !== PASSWORD)
        return refusal(401, 'authentication_failed', 'The address or the password is wrong')
      return session.needsSecondFactor ? { status: 200, body: { twoFactorRedirect: true } } : open()
    case '/two-factor/verify-totp':
      return given.code === '123456' ? open() : refusal(400, 'invalid_request', 'This code is not valid', 'code')
    case '/sign-out':
      session.isOpen = false
      return { status: 200, body: { success: true } }
    case '/invitation':
      if (route.request().method() === 'POST') return open()
      return {
        status: 200,
        body: { role: 'owner', email: null, for_new_password: false, expires_at: '2027-01-01T00:00:00.000Z' }
      }
    default:
      return refusal(404, 'not_found', `There is no ${pathname}`)
  }
}

const answer = (route: Route, { status, body }: Answer) =>
  route.fulfill({ status, contentType: 'application/json', body: JSON.stringify(body) })

/** What the browser says of requests that were refused is not about the page. */
export const withoutStatuses = (complaints: string[]) =>
  complaints.filter((text) => !text.startsWith('Failed to load resource'))

/** The page shows what it has asked for. */
export async function settled(page: Page): Promise<void> {
  await page.waitForLoadState('networkidle')
  await page.waitForFunction(`document.querySelector('[aria-label=Loading]') === null`)
}
