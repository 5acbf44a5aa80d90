import { Type } from 'typebox'
import { isoOf, realNow } from '#kit/clock'
import { exampleOf, Timestamp } from '#resources'
import { requireStore, storeNotFound } from '#stores'
import type { Surface } from '../../shared/surface.ts'
import { callerOf } from '../caller.ts'
import type { AdminDeps } from '../deps.ts'
import { text } from '../fields.ts'
import { ProblemBody, presentProblem } from './present-problem.ts'

const StatusBody = Type.Object(
  {
    working: Type.Boolean({ description: 'Whether there is no problem' }),
    checked_at: Timestamp('When this was found out, in real time'),
    stores: Type.Integer({ description: 'How many stores were looked at' }),
    problems: Type.Array(ProblemBody, { description: 'What does not work' }),
    notes: Type.Array(ProblemBody, { description: 'What is worth knowing and is no problem' })
  },
  {
    title: 'Status',
    description: 'What does not work.',
    examples: [
      {
        working: false,
        checked_at: '2026-11-21T05:19:43.000Z',
        stores: 2,
        problems: [exampleOf(ProblemBody)],
        notes: []
      }
    ]
  }
)

/** GET /status */
export function getStatusRoute(admin: Surface, { db, status }: AdminDeps): void {
  admin.get(
    '/status',
    {
      config: { allow: 'view', forStaff: true },
      schema: {
        operationId: 'getStatus',
        summary: 'Get the status',
        description:
          'What does not work now: receivers that fail or are disabled, stores without a connection, work that waits, events that a part of the service gave up, charges that wait for a person or have had no result for a week. First what keeps the whole service from working, such as a database that only reads. At most the first hundred of each kind. It also answers while the database does not: then that is the only problem.',
        querystring: Type.Object({
          store: Type.Optional(
            text(253, 'a store id or domain', { meaning: 'Only this store; all without it', examples: ['store_2'] })
          )
        }),
        response: { 200: StatusBody }
      }
    },
    async (request) => {
      const { store } = request.query
      const { staff } = callerOf(request)
      const asked = store === undefined ? null : (await requireStore(db, store)).storeId
      if (staff && asked !== null && asked !== staff.storeId) throw storeNotFound(store!)
      const storeId = staff?.storeId ?? asked
      const { stores, problems, notes } = await status(storeId)
      return {
        working: problems.length === 0,
        checked_at: isoOf(realNow()),
        stores,
        problems: problems.map(presentProblem),
        notes: notes.map(presentProblem)
      }
    }
  )
}
