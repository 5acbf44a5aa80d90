import { Type } from 'typebox'
import { invalidField } from '#kit/refusal'
import { requestedScopes } from '#platform'
import type { Surface } from '../../shared/surface.ts'
import type { AdminDeps } from '../deps.ts'
import { inWords } from '../fields.ts'
import { StoreParams } from '../store.ts'
import { play } from './sandbox-store.ts'

const TOKENS = ['expire', 'revoke'] as const

const SetAccess = Type.Object({
  missing_scopes: Type.Array(Type.String(), {
    description: 'The access scopes that the app lacks now',
    examples: [[]]
  }),
  token: Type.String({
    description: 'What became of the access token: `kept`, `expire` or `revoke`',
    examples: ['kept']
  })
})

/** POST /stores/{store}/sandbox/access */
export function setAccessRoute(admin: Surface, deps: AdminDeps): void {
  admin.post(
    '/stores/:store/sandbox/access',
    {
      config: { allow: 'develop' },
      schema: {
        operationId: 'setSandboxAccess',
        summary: "Change the app's access",
        description:
          'The sandbox shop takes access scopes away from the app and grants all others, or ends its access token. Only tokens that expire can be ended: those of an app that was installed in the admin.',
        params: StoreParams,
        body: Type.Object({
          without: Type.Optional(
            Type.Array(Type.String({ maxLength: 100 }), {
              description: 'The scopes that it takes away; an empty list grants all',
              maxItems: 50,
              examples: [['write_products']]
            })
          ),
          token: Type.Optional(
            Type.String({
              enum: [...TOKENS],
              description: `${inWords(TOKENS)}: as an hour does, or with its refresh token`,
              examples: ['expire']
            })
          )
        }),
        response: { 200: SetAccess }
      }
    },
    async (request) => {
      const { without, token } = request.body
      const unknown = without?.find((scope) => !(requestedScopes as string[]).includes(scope))
      if (unknown !== undefined)
        throw invalidField('without', `must name scopes that the app requests; ${unknown} is none`)
      await play(deps, request, async ({ storeId }) => {
        if (without)
          await deps.sandbox.changeScopes(
            storeId,
            requestedScopes.filter((scope) => !without.includes(scope))
          )
        if (token) await deps.sandbox.endToken(storeId, token as (typeof TOKENS)[number])
      })
      return { missing_scopes: without ?? [], token: token ?? 'kept' }
    }
  )
}
