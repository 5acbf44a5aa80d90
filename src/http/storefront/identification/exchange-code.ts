import { Type } from 'typebox'
import { exchangeCode, wrongCode } from '#identification'
import { isoOf } from '#kit/clock'
import type { HttpDeps } from '../../shared/deps.ts'
import type { Surface } from '../../shared/surface.ts'
import { shopOf } from '../shoppers.ts'
import { limitCaller } from './limit-codes.ts'

const Token = Type.Object(
  {
    token: Type.String({ description: 'Names the customer for 30 minutes, in this shop' }),
    expires_at: Type.String({ format: 'date-time', description: 'Until when it is good' })
  },
  {
    title: 'IdentificationToken',
    description: 'A token in the body: the proxy removes cookies.',
    examples: [
      {
        token: 'eyJjIjoyNCwiZSI6MTc5NTE2ODgwMH0.bPzX1m4vZJx3WnQ0sKc9yRtLd2eUgFhA7oNiB5jVq8E',
        expires_at: '2026-11-20T09:36:00.000Z'
      }
    ]
  }
)

/** POST /identification/tokens (spec 3, svc_otp) */
export function exchangeCodeRoute(storefront: Surface, { db, limiter }: Pick<HttpDeps, 'db' | 'limiter'>): void {
  storefront.post(
    '/identification/tokens',
    {
      config: { allow: 'visitor' },
      schema: {
        operationId: 'exchangeCode',
        summary: 'Exchange a code for a token',
        description:
          'The token shows the prices and the store credit of the customer and nothing else: it cancels, redeems and reads nothing. A code that is wrong, was used, has expired or was tried five times is refused in the same way, and asks for a new one.',
        body: Type.Object({
          identification_id: Type.String({
            pattern: '^[0-9A-Za-z]{32}$',
            description: 'the `identification_id` that came when the code was asked for',
            meaning: 'Which code it is',
            examples: ['vJ4zqkX0tYb2cR7wHn5sLd9eGfA1mP3u']
          }),
          code: Type.String({
            pattern: '^[0-9]{6}$',
            description: 'a text of 6 digits',
            meaning: 'What the mail says',
            examples: ['402817']
          })
        }),
        response: { 200: Token }
      }
    },
    async (request) => {
      const { storeId } = shopOf(request)
      await limitCaller(request, { limiter, storeId })
      const { identification_id: id, code } = request.body
      // The try is committed before it is refused.
      const exchanged = await db.inStore(storeId, (ctx) => exchangeCode(ctx, { id, code }))
      if (!exchanged) throw wrongCode()
      return { token: exchanged.token, expires_at: isoOf(exchanged.expiresAt) }
    }
  )
}
