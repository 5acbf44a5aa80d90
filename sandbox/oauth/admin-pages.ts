import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Platform } from '../http.ts'
import { isOwnForm } from '../session.ts'
import type { Shop } from '../shop.ts'
import { issueCode } from '../state/oauth-tokens.ts'
import { type Html, html } from '../storefront/html.ts'
import { htmlDocument } from '../storefront/html-document.ts'
import { ACCESS_SCOPES } from '../wire/access.ts'
import { hostOf, type SandboxApp, sessionToken, signedQuery } from './app.ts'
import { BRIDGE, EMBEDDER } from './scripts.ts'
import { tokenEndpoint } from './token-endpoint.ts'

/** Where the app may have people sent back to. Its developer has listed it. */
const CALLBACK = '/app/callback'

/**
 * What the people of a shop see of apps: the list, the page that embeds the app with a session token, and the page on which they
 * agree to its scopes; and for the app, the token endpoint and the script of its embedded page.
 */
export function oauthRoutes(platform: Platform, app: SandboxApp) {
  return (shopScope: FastifyInstance) => {
    shopScope.register(async (scope) => {
      // A form of another site must not install an app.
      scope.addHook('preHandler', async (request, reply) => {
        const isForm = request.headers['content-type']?.startsWith('application/x-www-form-urlencoded')
        if (request.method === 'POST' && isForm && !isOwnForm(request) && !isToken(request)) {
          return reply.code(403).send({ errors: 'Forbidden' })
        }
      })
      scope.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, (_request, body, done) =>
        done(null, Object.fromEntries(new URLSearchParams(body as string)))
      )
      tokenEndpoint(platform, app, scope)
      adminPages(app, scope)
      consentPages(platform, app, scope)
      scope.get('/app-bridge.js', (_request, reply) => reply.type('text/javascript; charset=utf-8').send(BRIDGE))
      scope.get('/admin/embedder.js', (_request, reply) => reply.type('text/javascript; charset=utf-8').send(EMBEDDER))
    })
  }
}

const isToken = ({ url }: FastifyRequest) => url.split('?')[0]!.endsWith('/admin/oauth/access_token')

/** The address of the shop's pages from the root of the host. */
const baseOf = ({ shopRequest: { baseUrl } }: FastifyRequest) => new URL(baseUrl).pathname.replace(/\/$/, '')

function send(reply: FastifyReply, { title, body, frames = '', posts = '' }: Page): FastifyReply {
  const policy =
    `default-src 'none'; script-src 'self'; connect-src 'self'; img-src data:; style-src 'self'; frame-src ${frames || "'none'"}; ` +
    `form-action 'self' ${posts}; base-uri 'none'; frame-ancestors 'none'`
  return reply
    .header('content-security-policy', policy)
    .type('text/html; charset=utf-8')
    .send(htmlDocument({ title, stylesheet: `${baseOf(reply.request)}/storefront.css`, body }))
}

type Page = { title: string; body: Html; frames?: string; posts?: string }

function adminPages(app: SandboxApp, scope: FastifyInstance): void {
  const now = () => Temporal.Now.instant()

  scope.get('/admin', async (request, reply) => {
    const { shop } = request.shopRequest
    const title = `Admin · ${shop.name}`
    const link = html`<a href="${baseOf(request)}/admin/apps/${app.clientId}">Perennial</a>`
    const state = isInstalled(shop) ? 'installed' : 'not installed: open it to install it'
    return send(reply, {
      title,
      body: html`<main><h1>${shop.name}</h1><h2>Apps</h2><ul><li>${link} (${state})</li></ul>
<p><a href="${baseOf(request)}/">Storefront</a></p></main>`
    })
  })

  scope.get('/admin/apps/:app', async (request, reply) => {
    const { shop } = request.shopRequest
    if ((request.params as { app: string }).app !== app.clientId) return reply.callNotFound()
    const query = signedQuery(
      app,
      {
        embedded: '1',
        shop: shop.domain,
        host: hostOf(shop.domain),
        id_token: sessionToken(app, shop.domain, now())
      },
      now()
    )
    const source = `${app.url()}/app?${query}`
    return send(reply, {
      title: `Perennial · ${shop.name}`,
      frames: new URL(app.url()).origin,
      // The script listens before the framed page can ask.
      body: html`<script src="${baseOf(request)}/admin/embedder.js" data-app="${new URL(app.url()).origin}" data-token="${baseOf(request)}/admin/session-token"></script>
<main><h1>${shop.name}</h1>
<p><a href="${baseOf(request)}/admin">Apps</a></p>
<iframe src="${source}" title="Perennial" height="500"></iframe></main>`
    })
  })

  scope.get('/admin/session-token', async (request) => ({
    token: sessionToken(app, request.shopRequest.shop.domain, now())
  }))
}

/** A shop with a number of its own has no store of the app yet. */
const isInstalled = ({ storeId }: Shop) => storeId > 0

type Consent = { client_id?: string; scope?: string; redirect_uri?: string; state?: string }

function consentPages({ db }: Platform, app: SandboxApp, scope: FastifyInstance): void {
  const problemOf = ({ client_id, scope: scopes, redirect_uri }: Consent): string | null => {
    if (client_id !== app.clientId) return 'There is no app with this client_id'
    if (redirect_uri !== `${app.url()}${CALLBACK}`) return 'The redirect_uri is not whitelisted'
    const unknown = listOf(scopes).find((one) => !(ACCESS_SCOPES as readonly string[]).includes(one))
    return unknown === undefined ? null : `There is no access scope ${unknown}`
  }
  const refuse = (reply: FastifyReply, problem: string) =>
    send(reply.code(400), {
      title: 'The app cannot be installed',
      body: html`<main><h1>The app cannot be installed</h1><p>${problem}.</p></main>`
    })

  scope.get('/admin/oauth/authorize', async (request, reply) => {
    const asked = request.query as Consent
    const { shop } = request.shopRequest
    const problem = problemOf(asked)
    if (problem) return refuse(reply, problem)
    const hidden = Object.entries(asked).map(
      ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`
    )
    return send(reply, {
      title: `Install Perennial · ${shop.name}`,
      posts: new URL(app.url()).origin,
      body: html`<main><h1>Install Perennial in ${shop.name}?</h1><p>It asks for:</p>
<ul>${listOf(asked.scope).map((one) => html`<li><code>${one}</code></li>`)}</ul>
<form method="post" action="${baseOf(request)}/admin/oauth/authorize">${hidden}<button>Install</button></form></main>`
    })
  })

  scope.post('/admin/oauth/authorize', async (request, reply) => {
    const asked = (request.body ?? {}) as Consent
    const { shop } = request.shopRequest
    const problem = problemOf(asked)
    if (problem) return refuse(reply, problem)
    const code = await db.inInstallation((q) => issueCode(q, shop.storeId, listOf(asked.scope)))
    const query = signedQuery(
      app,
      { code, host: hostOf(shop.domain), shop: shop.domain, state: asked.state ?? '' },
      Temporal.Now.instant()
    )
    return reply.redirect(`${asked.redirect_uri}?${query}`, 303)
  })
}

const listOf = (scopes: string | undefined): string[] => (scopes ?? '').split(',').flatMap((one) => one.trim() || [])
