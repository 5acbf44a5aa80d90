import { Type } from 'typebox'
import { closeListener } from '#webhooks'
import type { Surface } from '../../shared/surface.ts'
import { ListenerParams } from './listener-params.ts'

const ClosedListener = Type.Object(
  {
    id: Type.String({ description: 'The id of the listener' }),
    closed: Type.Literal(true, { description: 'Always true' })
  },
  { title: 'ClosedListener', description: 'A listener that is no more.', examples: [{ id: 'we_4', closed: true }] }
)

/** DELETE /stores/{store}/webhook-listeners/{listener} */
export function closeListenerRoute(admin: Surface): void {
  admin.delete(
    '/stores/:store/webhook-listeners/:listener',
    {
      config: { allow: 'develop' },
      schema: {
        operationId: 'closeWebhookListener',
        summary: 'Close a listener',
        description: 'What waits for it is dropped.',
        params: ListenerParams,
        response: { 200: ClosedListener }
      }
    },
    async (request) => {
      const { listener: id } = request.params
      await request.inStore((ctx) => closeListener(ctx, id))
      return { id, closed: true as const }
    }
  )
}
