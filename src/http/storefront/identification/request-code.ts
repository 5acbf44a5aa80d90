import { Type } from 'typebox'
import { addressKeyOf, requestIdentification } from '#identification'
import { isoOf } from '#kit/clock'
import type { HttpDeps } from '../../shared/deps.ts'
import type { Surface } from '../../shared/surface.ts'
import { shopOf } from '../shoppers.ts'
import { limitAddress, limitCaller } from './limit-codes.ts'

const RequestedCode = Type.Object(
  {
    identification_id: Type.String({ description: 'Goes with the code, to exchange it' }),
    expires_at: Type.String({ format: 'date-time', description: 'Until when the code is good' })
  },
  {
    title: 'RequestedCode',
    description: 'The same whether somebody has the address or not.',
    examples: [{ identification_id: 'vJ4zqkX0tYb2cR7wHn5sLd9eGfA1mP3u', expires_at: '2026-11-20T09:10:00.000Z' }]
  }
)

/** POST /identification/codes (spec 3, svc_otp) */
export function requestCodeRoute(storefront: Surface, deps: Pick<HttpDeps, 'db' | 'limiter' | 'wake'>): void {
  const { db, limiter, wake } = deps
  storefront.post(
    '/identification/codes',
    {
      config: { allow: 'visitor' },
      schema: {
        operationId: 'requestCode',
        summary: 'Have a code mailed',
        description:
          'Mails a code of six digits to a customer with this address. It is good for 10 minutes, five tries and one use. The response is the same if nobody has the address. At most 3 a minute and 10 a day go to one address; one caller may ask for 10 a minute and 500 a day. 403 while `svc_otp` and `softlogin` are off.',
        body: Type.Object({
          email: Type.String({
            minLength: 3,
            maxLength: 320,
            pattern: '^ *[^ @]+@[^ @]+ *$',
            description: 'an e-mail address of at most 320 characters',
            meaning: 'Whose code it is; upper and lower case are the same',
            examples: ['ada@example.com']
          })
        }),
        response: { 200: RequestedCode }
      }
    },
    async (request) => {
      const { storeId } = shopOf(request)
      const email = request.body.email.trim().toLowerCase()
      await limitCaller(request, { limiter, storeId })
      await limitAddress(request, { limiter, storeId }, addressKeyOf(db, storeId, email))
      const { id, expiresAt } = await db.inStore(storeId, (ctx) => requestIdentification(ctx, email))
      wake(storeId)
      return { identification_id: id, expires_at: isoOf(expiresAt) }
    }
  )
}
