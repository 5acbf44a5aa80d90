import { randomBytes } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { shopUrlOf } from '#platform'
import { shopOfApp } from '../install/apps.ts'
import { type Embedding, embeddingOf, platformScript } from '../install/pages.ts'
import { acceptsEncoding } from '../shared/accepted-encoding.ts'
import type { HttpDeps } from '../shared/deps.ts'
import { type BuiltInterface, type InterfaceFile, readBuiltInterface } from './built-interface.ts'

type AdminPagesDeps = Pick<HttpDeps, 'install' | 'sandbox' | 'builtInterface'>

const PREFIX = '/admin'
const OPEN = { config: { allow: 'anyone' } } as const

/** Every path of the interface; what is below the API and the sign-in has routes of its own, and unknown ones are not found there. */
const AREA = ':area((?!api$|auth$|assets$)[\\w.~%@-]+)'

const YEAR = 'public, max-age=31536000, immutable'

/** In the built page (web/admin/index.html). */
const NONCE_PLACE = '__STYLE_NONCE__'
/** Behind it is the platform's script, which it wants to be the first one. */
const HEAD_PLACE = '<meta charset="utf-8">'

/**
 * Scripts and styles of the service only, nothing of other hosts, and in no frame. The components make some style elements at run time,
 * with sizes that depend on their properties: those carry the nonce of the response. Styles of single elements are set by script, which
 * the policy does not concern, so that no `unsafe-inline` is needed. In the admin of a shop the platform's own script runs too, which gives the
 * session tokens, and that admin alone may show the page in a frame.
 */
const policyWith = (nonce: string, embedding: Embedding | null) => {
  const platform = embedding ? ` ${new URL(embedding.script).origin}` : ''
  // Images of the API are read with a token there, since an address alone brings none.
  const images = embedding ? ' blob:' : ''
  return (
    `default-src 'none'; script-src 'self'${platform}; style-src 'self' 'nonce-${nonce}'; connect-src 'self'${platform}; img-src 'self' data:${images}; ` +
    `font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors ${embedding?.frameAncestors.join(' ') ?? "'none'"}`
  )
}

const PLAIN_POLICY = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

const NOT_BUILT = 'The admin interface is not built here: run "npm ci" without --omit and --ignore-scripts'

/**
 * The admin interface (web/admin) at `/admin`: one page for every path, whose script finds out what to show, and files that never
 * change. They need no session; what they show comes from the admin API, which does. An installation without them answers 503.
 */
export function registerAdminPages(app: FastifyInstance, deps: AdminPagesDeps): void {
  const { builtInterface } = deps
  app.register(async (pages) => {
    const built = await readBuiltInterface(builtInterface)
    if (!built) app.log.warn(`${NOT_BUILT}. Until then ${PREFIX} shows nothing.`)

    for (const path of [PREFIX, `${PREFIX}/`, `${PREFIX}/${AREA}`, `${PREFIX}/${AREA}/*`]) {
      pages.get(path, OPEN, (request, reply) => sendPage(reply, built, embeddingOfRequest(deps, request)))
    }
    pages.get(`${PREFIX}/assets/:file`, OPEN, (request, reply) => {
      const { file } = request.params as { file: string }
      const found = built?.files.get(file)
      if (!found) return reply.code(404).type('text/plain; charset=utf-8').send('There is no such file here')
      return sendFile(request, reply, found)
    })
  })
}

/** In the admin of which shop a request shows the page; null for a page of its own. */
function embeddingOfRequest(deps: AdminPagesDeps, { query }: FastifyRequest): Embedding | null {
  const { embedded, shop } = query as { embedded?: string; shop?: string }
  const found = embedded === '1' ? shopOfApp(deps.install, shop) : null
  return found && embeddingOf(found, shopUrlOf(found.profile, found.shop, deps.sandbox))
}

function sendPage(reply: FastifyReply, built: BuiltInterface | null, embedding: Embedding | null) {
  reply.type('text/html; charset=utf-8').header('cache-control', 'no-store')
  if (!built) return reply.code(503).header('content-security-policy', PLAIN_POLICY).send(notBuiltPage())
  const nonce = randomBytes(16).toString('base64url')
  const page = built.page.replace(NONCE_PLACE, nonce)
  return reply
    .header('content-security-policy', policyWith(nonce, embedding))
    .send(embedding ? page.replace(HEAD_PLACE, HEAD_PLACE + platformScript(embedding)) : page)
}

function sendFile(request: FastifyRequest, reply: FastifyReply, { type, etag, body, encoded }: InterfaceFile) {
  reply.headers({ 'cache-control': YEAR, etag, vary: 'accept-encoding' })
  if (request.headers['if-none-match']?.includes(etag)) return reply.code(304).send()
  reply.type(type)
  const wanted = encoded.find(({ encoding }) => acceptsEncoding(request.headers['accept-encoding'], encoding))
  if (!wanted) return reply.send(body)
  return reply.header('content-encoding', wanted.encoding).send(wanted.body)
}

const notBuiltPage = () => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Perennial</title>
<link rel="icon" href="data:,">
</head>
<body>
<main>
<h1>Perennial</h1>
<p>${NOT_BUILT}, then start the service again. The APIs and the command line work without it.</p>
</main>
</body>
</html>
`
