import { Type } from 'typebox'
import { retryDeadLetter } from '#kit/outbox'
import type { Surface } from '../../shared/surface.ts'
import { StoreParams } from '../store.ts'
import { deadLetterKey, deadLetterNotFound } from './dead-letter-id.ts'

const RetriedBody = Type.Object(
  { id: Type.String({ description: 'The id of the dead letter' }) },
  {
    title: 'RetriedDeadLetter',
    description: 'A dead letter that is tried again.',
    examples: [{ id: 'webhooks:812' }]
  }
)

/** POST /stores/{store}/dead-letters/{dead_letter}/retry */
export function retryDeadLetterRoute(admin: Surface): void {
  admin.post(
    '/stores/:store/dead-letters/:dead_letter/retry',
    {
      config: { allow: 'develop' },
      schema: {
        operationId: 'retryDeadLetter',
        summary: 'Retry a dead letter',
        description: 'Has it tried once more, at once. When that fails, it is a dead letter again.',
        params: Type.Object({
          ...StoreParams.properties,
          dead_letter: Type.String({ description: 'the id of a dead letter', examples: ['webhooks:812'] })
        }),
        body: Type.Object({}),
        response: { 202: RetriedBody }
      }
    },
    async (request, reply) => {
      const { dead_letter: id } = request.params
      const isRevived = await request.inStore((ctx) => retryDeadLetter(ctx, deadLetterKey(id)))
      if (!isRevived) throw deadLetterNotFound(id)
      return reply.code(202).send({ id })
    }
  )
}
