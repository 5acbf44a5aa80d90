import type { Readable, Transform } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Platform } from '../http.ts'
import type { Forwarded } from '../proxy/forward.ts'
import { page } from './layout.ts'
import { renderLiquid } from './liquid.ts'

const MAX_BYTES = 2_000_000
const DECODERS: Record<string, () => Transform> = {
  gzip: createGunzip,
  br: createBrotliDecompress,
  deflate: createInflate
}

/** Whether an app answers with a template, which the platform renders inside the theme. */
export const isTemplate = ({ headers }: Forwarded): boolean =>
  String(headers['content-type'] ?? '').startsWith('application/liquid')

/** Renders the template that an app has answered with, and sends the page. Null if it is broken off or too long. */
export async function renderPage(
  platform: Platform,
  request: FastifyRequest,
  reply: FastifyReply,
  forwarded: Forwarded,
  customerId: string | null
): Promise<FastifyReply | null> {
  const { shop, baseUrl } = request.shopRequest
  const source = await textOf(forwarded)
  if (source === null) return null
  const { markup, isWhole } = await renderLiquid(platform, shop, baseUrl, customerId, source)
  const basePath = new URL(baseUrl).pathname.replace(/\/$/, '')
  const now = await platform.clock(shop.domain)
  const {
    'content-type': _type,
    'content-length': _length,
    'content-encoding': _encoding,
    ...headers
  } = forwarded.headers
  return reply
    .code(forwarded.status)
    .headers(headers)
    .type('text/html; charset=utf-8')
    .send(isWhole ? markup : page(shop, basePath, now, { title: shop.name, main: { markup } }))
}

async function textOf({ headers, body }: Forwarded): Promise<string | null> {
  const decoder = DECODERS[String(headers['content-encoding'] ?? '')]
  const stream: Readable = decoder ? body.pipe(decoder()) : body
  if (decoder) body.once('error', (err) => stream.destroy(err))
  const parts: Buffer[] = []
  let length = 0
  try {
    for await (const part of stream) {
      parts.push(part)
      length += part.length
      if (length > MAX_BYTES) return null
    }
    return Buffer.concat(parts).toString()
  } catch (err) {
    // What an app breaks off, or sends in another form than it says, is no page.
    if (err instanceof Error) return null
    throw err
  }
}
