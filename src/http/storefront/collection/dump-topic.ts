import { type TSchema, Type } from 'typebox'
import { planTopic, rowSchema, type Topic, topics } from '#exports'
import { Refusal } from '#kit/refusal'
import type { Surface } from '../../shared/surface.ts'
import type { ExportDeps } from '../deps.ts'
import { exampleRow } from '../example-row.ts'
import { openExport } from '../open-export.ts'
import { FORM, readForm } from './form.ts'

/** The app proxy gives up after ten seconds: what does not fit is to fail before that, with a reason. */
const WITHIN_MS = 9_000

/** `store_credit_history` → `StoreCreditHistory` */
const pascal = (name: string) => name.replaceAll(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase())

function schemaOf(topic: Topic): TSchema {
  const { $schema: _, ...row } = rowSchema(topic)
  const rows = Type.Array(Type.Unsafe<unknown>({ ...row, title: `${pascal(topic.name)}Record` }), {
    description: `${topic.name}: ${topic.meaning}`
  })
  return topic.key ? Type.Record(Type.String(), rows, { description: `${topic.name}: ${topic.meaning}` }) : rows
}

/** POST /collection (spec 2, Collection API): all records of a topic, not paginated. */
export function dumpTopicRoute(
  collection: Surface,
  { db, exports, dumpWithinMs = WITHIN_MS }: Pick<ExportDeps, 'db' | 'exports' | 'dumpWithinMs'>
): void {
  collection.post(
    '',
    {
      config: { allow: 'read:data' },
      // `readForm` reads the form.
      validatorCompiler: () => (value) => ({ value }),
      schema: {
        operationId: 'dumpTopic',
        summary: 'Dump a topic',
        description:
          'Returns all records of a topic, not paginated. A dump that takes longer than 9 seconds is broken off, because the app proxy gives up after 10: use the Data API, which replaces this one.',
        deprecated: true,
        bodyType: FORM,
        body: Type.Object({
          key: Type.String({
            description: 'an API key of the store',
            meaning: 'The API key',
            examples: ['svc_live_1_0123456789abcdefghijklmnopqrstuv']
          }),
          topic: Type.Union(
            topics.map(({ name }) => Type.Literal(name)),
            { description: `one of ${topics.map(({ name }) => name).join(', ')}`, meaning: 'What to return' }
          )
        }),
        response: {
          200: Type.Union(topics.map(schemaOf), {
            description: 'All records: an array, or for store_credit_history an object by the number of the customer.',
            examples: [[exampleRow(topics[0]!.fields)]]
          })
        }
      }
    },
    async (request, reply) => {
      const { topic } = readForm(request.body)
      const { storeId } = request.proxied!.store
      const plan = await planTopic(db, storeId, topic)
      if (!plan) throw new Refusal('not_found', `There are no records of ${topic}`)
      const tooLong = new AbortController()
      const timer = setTimeout(
        () => {
          request.log.warn({ store: { id: storeId }, topic }, `The dump of ${topic} took too long, and was given up`)
          // What has begun can only be broken off; it is no complete JSON then, and the proxy reports it.
          if (reply.raw.headersSent) reply.raw.destroy()
          else tooLong.abort(doesNotFit(topic))
        },
        Math.max(1, dumpWithinMs - reply.elapsedTime)
      )
      reply.raw.once('close', () => clearTimeout(timer))
      return openExport(request, reply, (options) => exports.stream(plan, options), tooLong.signal)
    }
  )
}

const doesNotFit = (topic: string) =>
  new Refusal(
    'unavailable',
    `The records of ${topic} do not fit into one response: read them page by page with the Data API, /apps/svc-api/v1/data`
  )
