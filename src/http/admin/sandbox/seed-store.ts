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
    maximum: 1_000_000,
    description: 'an integer from 1 to 1000000',
    meaning: 'How many people join',
    examples: [50]
  }),
  months: Type.Integer({
    minimum: 0,
    maximum: 120,
    description: 'an integer from 0 to 120',
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
      config: { allow: 'operator' },
      schema: {
        operationId: 'seedStore',
        summary: 'Fill a sandbox store',
        description:
          'Lets people join and live through months of billing. Answers line by line while it goes on. The status is sent before the end is known, so an error is a line too. A client that leaves does not stop it.',
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
      seed(storeId, request.body, (progress) => write({ progress }))
        .then((result) => write({ result }))
        .catch((err: unknown) => {
          const refusal = refusalOf(err, request)
          if (!refusal) logBug(request, err)
          write(errorBody(refusal))
        })
        .finally(() => lines.end())
      return reply.type('application/x-ndjson').send(lines as never)
    }
  )
}
