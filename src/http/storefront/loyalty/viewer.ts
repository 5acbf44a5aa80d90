import type { FastifyRequest } from 'fastify'
import type { Ctx } from '#kit/postgres'
import type { Viewer } from '#loyalty'
import { findKeptCustomerId } from '#members'

/** Whose progress a rule shows: the customer who is logged in, also one of whom the store has nothing yet. */
export async function viewerOf(ctx: Ctx, { proxied }: Pick<FastifyRequest, 'proxied'>): Promise<Viewer> {
  const platformId = proxied?.loggedInCustomerId ?? null
  if (platformId === null) return null
  return (await findKeptCustomerId(ctx, { memberId: null, platformId })) ?? 'unknown'
}
