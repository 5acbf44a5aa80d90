import type { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Encoding } from '#exports'
import { acceptedEncoding } from '../shared/accepted-encoding.ts'
import { freeWhenSent } from './free-when-sent.ts'

/**
 * The rows that `open` opens as JSON, compressed as the client likes it: what a route returns, so that its deadline ends with the first bytes. Throws TooManyExports and Busy as long as nothing was sent;
 * after that an error breaks the connection off. When the client leaves, the query ends.
 */
export async function openExport(
  request: FastifyRequest,
  reply: FastifyReply,
  open: (options: { encoding: Encoding; signal: AbortSignal }) => Promise<Readable>,
  signal?: AbortSignal
): Promise<Readable> {
  const abort = new AbortController()
  // Also when it was answered by the deadline meanwhile.
  reply.raw.once('close', () => abort.abort(new Error('The client has left')))
  if (reply.raw.destroyed) throw new Error('The client has left')
  const encoding = acceptedEncoding(request.headers['accept-encoding'])
  const body = await open({
    encoding,
    signal: signal ? AbortSignal.any([abort.signal, signal]) : abort.signal
  })
  freeWhenSent(reply.raw)
  reply.type('application/json; charset=utf-8').header('vary', 'accept-encoding')
  if (encoding !== 'identity') reply.header('content-encoding', encoding)
  return body
}
