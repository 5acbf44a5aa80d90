import type { FastifyRequest } from 'fastify'
import { Refusal } from '#kit/refusal'

const CHANGES_NOTHING = new Set(['GET', 'HEAD', 'OPTIONS'])

/**
 * Refuses a change that another site's page asks for with the cookies of this one: browsers say from where a page asks, and a page cannot
 * say otherwise.
 */
export function refuseOtherSites({ method, headers }: FastifyRequest): void {
  if (CHANGES_NOTHING.has(method)) return
  const site = headers['sec-fetch-site']
  const isOurs = site === undefined ? hostOf(headers.origin) === headers.host : site === 'same-origin'
  if (!isOurs) throw new Refusal('forbidden', 'Only pages of this service may use its cookies to change something')
}

const hostOf = (origin: string | undefined) => (origin && URL.canParse(origin) ? new URL(origin).host : null)
