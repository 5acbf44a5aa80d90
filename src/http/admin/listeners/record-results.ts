import { Type } from 'typebox'
import { OrNull } from '#resources'
import { NO_RESPONSE, recordResults } from '#webhooks'
import type { Surface } from '../../shared/surface.ts'
import type { AdminDeps } from '../deps.ts'
import { storeOf } from '../store.ts'
import { ListenerParams } from './listener-params.ts'

const Result = Type.Object(
  {
    handle: Type.String({ minLength: 1, maxLength: 2000, description: 'the handle of a fetched delivery' }),
    duration_ms: Type.Integer({
      minimum: 0,
      maximum: 600_000,
      description: 'a whole number of milliseconds from 0 to 600000'
    }),
    response_code: OrNull(
      Type.Integer({ minimum: 100, maximum: 999, description: 'a response status from 100 to 999' })
    ),
    failure: OrNull(
      Type.Union(
        NO_RESPONSE.map((word) => Type.Literal(word)),
        { description: `why there was no answer (${NO_RESPONSE.join(', ')})` }
      )
    ),
    response_text: Type.String({ maxLength: 1024, description: 'a text of at most 1,024 characters of the answer' })
  },
  { additionalProperties: false }
)

const ResultsBody = Type.Object({
  results: Type.Array(Result, {
    minItems: 1,
    maxItems: 50,
    description: `a list of 1 to 50 results {handle, duration_ms, response_code, failure, response_text}, with a response_code or, where there was no answer, a failure (${NO_RESPONSE.join(', ')})`,
    examples: [[{ handle: 'eyJ0IjoxfQ', duration_ms: 3, response_code: 204, failure: null, response_text: '' }]]
  })
})

const Recorded = Type.Object(
  { taken: Type.Integer({ description: 'How many results were recorded' }) },
  { title: 'RecordedResults', description: 'What came of recording results.', examples: [{ taken: 1 }] }
)

/** POST /stores/{store}/webhook-listeners/{listener}/results */
export function recordResultsRoute(admin: Surface, { db, vault }: AdminDeps): void {
  admin.post(
    '/stores/:store/webhook-listeners/:listener/results',
    {
      config: { allow: 'develop' },
      schema: {
        operationId: 'recordWebhookResults',
        summary: 'Record results of a listener',
        description:
          'What became of deliveries that were fetched. Accepted also for a listener that was closed meanwhile.',
        params: ListenerParams,
        body: ResultsBody,
        response: { 200: Recorded }
      }
    },
    async (request) => {
      const results = request.body.results.map((result) => ({
        handle: result.handle,
        durationMs: result.duration_ms,
        responseCode: result.response_code,
        failure: result.failure,
        responseText: result.response_text
      }))
      await recordResults(db, storeOf(request).storeId, request.params.listener, results, { vault })
      return { taken: results.length }
    }
  )
}
