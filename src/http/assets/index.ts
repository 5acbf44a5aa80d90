import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { acceptsEncoding } from '../shared/accepted-encoding.ts'
import { STOREFRONT_PREFIX } from '../storefront/index.ts'
import { type BuiltFile, readBuiltFiles } from './built-files.ts'

/** Below the app proxy, so that a theme needs no address of ours; the same path at our own address is for other pages. */
const PREFIX = `${STOREFRONT_PREFIX}/storefront`

const YEAR = 'public, max-age=31536000, immutable'
const MINUTES = 'public, max-age=300'
/** A module script of another origin needs the first, a page that isolates itself the second. */
const FROM_ANYWHERE = { 'access-control-allow-origin': '*', 'cross-origin-resource-policy': 'cross-origin' }

/**
 * The files that shops load (web/storefront): `perennial-cancel.js` redirects to its name with the hash of its content, which never
 * changes. They need neither a key nor a login nor the database. An installation without them answers 503 there, and says why.
 */
export function registerAssets(app: FastifyInstance, { builtFiles }: { builtFiles?: string } = {}): void {
  app.register(async (assets) => {
    const files = await readBuiltFiles(builtFiles)
    const missing = 'The files for storefronts are not built here: run "npm ci" without --omit and --ignore-scripts'
    if (files.size === 0) app.log.warn(`${missing}. Until then shops do not get them.`)

    assets.get(`${PREFIX}/:file`, { config: { allow: 'anyone' } }, (request, reply) => {
      reply.headers(FROM_ANYWHERE)
      if (files.size === 0) return reply.code(503).send({ message: missing })
      const { file } = request.params as { file: string }
      const found = files.find(file)
      if (found === null) return reply.code(404).send({ message: `There is no file ${file.slice(0, 100)} here` })
      // Without a folder, so that it is right below the proxy of any shop.
      if (typeof found === 'string') return reply.header('cache-control', MINUTES).redirect(found)
      return sendFile(request, reply, found)
    })
  })
}

function sendFile(request: FastifyRequest, reply: FastifyReply, { body, gzipped, etag }: BuiltFile) {
  reply.headers({ 'cache-control': YEAR, etag, vary: 'accept-encoding' })
  if (request.headers['if-none-match']?.includes(etag)) return reply.code(304).send()
  reply.type('text/javascript; charset=utf-8')
  if (!acceptsEncoding(request.headers['accept-encoding'], 'gzip')) return reply.send(body)
  return reply.header('content-encoding', 'gzip').send(gzipped)
}
