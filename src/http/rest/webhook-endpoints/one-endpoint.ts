import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Static, Type } from 'typebox'
import type { Ctx } from '#kit/postgres'
import { type Endpoint, findEndpoint } from '#webhooks'
import { withIdempotency } from '../../shared/idempotency.ts'
import { noSuch } from '../../shared/path-ids.ts'
import { envelope } from '../envelope.ts'
import { presentWebhookEndpoint } from '../present-webhook-endpoint.ts'

/** Names a webhook endpoint in a path. */
export const EndpointParams = Type.Object({
  endpoint_id: Type.String({ description: 'a webhook endpoint id', examples: ['we_2'] })
})

type EndpointRequest = FastifyRequest & { params: Static<typeof EndpointParams> }

/** The endpoint of a path. Listeners (`perennial listen`) are the operator's: here they are unknown. */
export async function endpointIn(
  ctx: Ctx,
  { params: { endpoint_id: id } }: Pick<EndpointRequest, 'params'>
): Promise<Endpoint> {
  const found = await findEndpoint(ctx, id)
  if (found?.kind !== 'url') throw noSuch('we', id)
  return found
}

/** Answers a request that changes the endpoint in its path, once per `Idempotency-Key`. */
export function changedEndpoint(
  request: EndpointRequest,
  reply: FastifyReply,
  act: (ctx: Ctx, id: string) => Promise<Endpoint>
) {
  return withIdempotency(request, reply, async (ctx) => {
    const { id } = await endpointIn(ctx, request)
    return envelope(presentWebhookEndpoint(await act(ctx, id)))
  })
}
