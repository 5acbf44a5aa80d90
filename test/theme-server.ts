import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after } from 'node:test'
import { request } from 'undici'
import { type ThemeCart, themeRenderer } from './theme-renderer.ts'

type Json = Record<string, any>

/** A theme of the real platform, and where its cart has what the element works with. */
export type TriedTheme = ThemeCart & { selectors: { page?: Json; side?: Json } }

const TYPES: Record<string, string> = { css: 'text/css', js: 'text/javascript', svg: 'image/svg+xml' }
const HEAD = `<script>window.Shopify = { routes: { root: '/' } }</script><link rel="icon" href="data:,">`
const scriptOf = (name: string) => `<script type="module" src="/apps/svc-api/v1/storefront/${name}.js"></script>`
const DATA = /(<script type="application\/json" data-perennial-cart>)(.*?)(<\/script>)/s

/**
 * A shop of the sandbox in a theme: pages, pictures and scripts are the theme's, from a folder; the cart, the checkout and the app behind the
 * proxy are those of the sandbox. `/account` has the elements of a customer's page. Pages with `?bare` have nothing of ours.
 */
export async function themeServer(folder: string, theme: TriedTheme, shop: { sandbox: string; domain: string }) {
  const renderer = themeRenderer(folder, theme)
  const ask = (method: 'GET' | 'POST', path: string, cookie: string, body?: unknown) =>
    request(`${shop.sandbox}${path}`, {
      method,
      headers: {
        host: shop.domain,
        ...(cookie && { cookie }),
        ...(body !== undefined && { 'content-type': 'application/json' })
      },
      body: body === undefined ? null : JSON.stringify(body)
    })
  const shown = async (cookie: string) => {
    const cart = (await (await ask('GET', '/cart.js', cookie)).body.json()) as Json
    return { cart, root: '/', assets: '/theme' }
  }
  const printed = async (cookie: string) => {
    const page = await (await ask('GET', '/products', cookie)).body.text()
    const [, open, text, close] = DATA.exec(page)!
    return { open, data: JSON.parse(text!), close }
  }
  const forCart = async (cookie: string) => {
    const { open, data, close } = await printed(cookie)
    data.metafields.svc_cart_page_selector = theme.selectors.page ?? null
    data.metafields.svc_side_cart_selector = theme.selectors.side && { status: 'on', ...theme.selectors.side }
    return `${open}${JSON.stringify(data).replaceAll('<', '\\u003c')}${close}
      ${scriptOf('perennial-cart')}`
  }
  const forAccount = async (cookie: string) => {
    const plan = JSON.stringify((await printed(cookie)).data.metafields.svc_plan_settings)
    return `<perennial-membership></perennial-membership>
      <perennial-join currency="USD"><script type="application/json">${plan.replaceAll('<', '\\u003c')}</script></perennial-join>
      ${scriptOf('perennial-account')}${scriptOf('perennial-cancel')}`
  }

  const server = createServer(async (incoming, response) => {
    const { pathname, searchParams } = new URL(incoming.url!, 'http://shop')
    const cookie = incoming.headers.cookie ?? ''
    const send = (type: string, body: string, headers: Json = {}) =>
      response.writeHead(200, { 'content-type': type, ...headers }).end(body)
    const [, change] = /^\/cart\/(add|change|update|clear)(?:\.js)?$/.exec(pathname) ?? []
    if (pathname.startsWith('/theme/')) {
      const name = pathname.slice('/theme/'.length)
      return send(TYPES[name.split('.').at(-1)!] ?? 'text/plain', renderer.asset(name, await shown(cookie)))
    }
    if (incoming.method === 'GET' && (pathname === '/' || pathname === '/cart')) {
      const section = searchParams.get('section_id')
      if (section) return send('text/html', renderer.section(await shown(cookie), section))
      const ours = searchParams.has('bare') ? '' : await forCart(cookie)
      return send('text/html; charset=utf-8', renderer.page(await shown(cookie), { head: HEAD, body: ours }))
    }
    if (incoming.method === 'GET' && pathname === '/account') {
      const ours = searchParams.has('bare') ? '' : await forAccount(cookie)
      const content = `<div class="page-width container"><h1>Account</h1><p>Hello!</p>${ours}<button class="button btn">Log out</button></div>`
      return send('text/html; charset=utf-8', renderer.page(await shown(cookie), { head: HEAD, content }))
    }
    if (change) {
      const given = await jsonOf(incoming)
      const answer = await ask('POST', `/cart/${change}.js`, cookie, given)
      const set = [answer.headers['set-cookie'] ?? []].flat()
      const now = set.length > 0 ? set.map((one) => one.split(';')[0]).join('; ') : cookie
      const body = (await answer.body.json()) as Json
      const sections = [given.sections ?? []].flat().flatMap((one: string) => one.split(','))
      if (sections.length > 0) {
        const parts = await shown(now)
        body.sections = Object.fromEntries(sections.map((name) => [name, renderer.section(parts, name)]))
      }
      response.writeHead(answer.statusCode, {
        'content-type': 'application/json',
        ...(set.length > 0 && { 'set-cookie': set })
      })
      return response.end(JSON.stringify(body))
    }
    if (incoming.method === 'POST' && pathname === '/cart')
      return response.writeHead(303, { location: '/checkout' }).end()
    const { statusCode, headers, body } = await request(`${shop.sandbox}${incoming.url}`, {
      method: incoming.method as 'GET',
      headers: { ...incoming.headers, host: shop.domain, connection: 'keep-alive' },
      body: incoming.method === 'GET' ? null : incoming
    })
    response.writeHead(statusCode, headers as Json)
    return body.pipe(response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  after(() => server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

async function jsonOf(incoming: IncomingMessage): Promise<Json> {
  const parts: Buffer[] = []
  for await (const part of incoming) parts.push(part as Buffer)
  return JSON.parse(Buffer.concat(parts).toString())
}
