import { PassThrough } from 'node:stream'
import { Type } from 'typebox'
import { logBug, refusalOf } from '../../shared/errors.ts'
import type { Surface } from '../../shared/surface.ts'
import type { AdminDeps } from '../deps.ts'
import { errorBody } from '../errors.ts'
import { StoreParams } from '../store.ts'
import { sandboxStoreOf } from './sandbox-store.ts'

const SeedBody = Type.Object({
  members: Type.Integer({
    minimum: 1,
    maximum: 100_000,
    description: 'an integer from 1 to 100000',
    meaning: 'How many people join',
    examples: [50]
  }),
  months: Type.Integer({
    minimum: 1,
    maximum: 60,
    description: 'an integer from 1 to 60',
    meaning: 'For how long',
    examples: [12]
  })
})

const anyObject = (description: string) => Type.Optional(Type.Object({}, { additionalProperties: true, description }))

const SeedLine = Type.Object(
  {
    progress: anyObject('How far it is'),
    result: anyObject('What was made; the last line'),
    error: anyObject('Why it ended early, as in an error response; the last line')
  },
  {
    title: 'SeedLine',
    description: 'One line of the response.',
    examples: [{ progress: { done: 10, total: 50 } }]
  }
)

/** POST /stores/{store}/seed */
export function seedStoreRoute(admin: Surface, { seed }: AdminDeps): void {
  admin.post(
    '/stores/:store/seed',
    {
      config: { allow: 'develop' },
      schema: {
        operationId: 'seedStore',
        summary: 'Fill a sandbox store',
        description:
          'Lets people join and live through months of billing. Returns a line per step while it runs. An error before the first step has its own status; a later one is the last line of a 200. A client that disconnects does not stop it.',
        params: StoreParams,
        body: SeedBody,
        produces: ['application/x-ndjson'],
        response: { 200: SeedLine }
      }
    },
    async (request, reply) => {
      const { storeId } = sandboxStoreOf(request)
      const lines = new PassThrough()
      const write = (line: object) => {
        if (!lines.destroyed) lines.write(`${JSON.stringify(line)}\n`)
      }
      const begun = Promise.withResolvers<void>()
      let hasBegun = false
      seed(storeId, request.body, (progress) => {
        hasBegun = true
        begun.resolve()
        write({ progress })
      })
        .then((result) => {
          begun.resolve()
          write({ result })
        })
        .catch((err: unknown) => {
          // Nothing is sent yet: the error can have its own status.
          if (!hasBegun) return begun.reject(err)
          const refusal = refusalOf(err, request)
          if (!refusal) logBug(request, err)
          write(errorBody(refusal))
        })
        .finally(() => lines.end())
      await begun.promise
      return reply.type('application/x-ndjson').send(lines as never)
    }
  )
}
