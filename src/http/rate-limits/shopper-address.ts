import { isIP } from 'node:net'
import type { FastifyRequest } from 'fastify'

/**
 * The address of the shopper behind a request that the platform's app proxy has signed: the one that the proxy names in X-Forwarded-For.
 * `request.ip` is that of the platform itself, which all shoppers share. The address is only to be believed of a signed request.
 */
export function shopperAddress(request: Pick<FastifyRequest, 'ip' | 'headers' | 'socket'>): string {
  const header = request.headers['x-forwarded-for']
  const named = (Array.isArray(header) ? header.join() : (header ?? '')).split(',').map((one) => one.trim())
  // Proxies of ours have added the platform's address after the shopper's; without any, the platform is who connects.
  const isPeer = request.ip === request.socket.remoteAddress
  const address = isPeer ? named.at(-1) : named[named.lastIndexOf(request.ip) - 1]
  return address !== undefined && isIP(address) !== 0 ? address : request.ip
}
