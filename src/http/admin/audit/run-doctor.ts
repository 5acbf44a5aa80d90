import { Type } from 'typebox'
import { requireStore } from '#stores'
import type { Surface } from '../../shared/surface.ts'
import type { AdminDeps } from '../deps.ts'
import { text } from '../fields.ts'
import { ProblemBody, presentProblem } from './present-problem.ts'

const finding = Type.Object({}, { additionalProperties: true })

const Report = Type.Object(
  {
    checked: Type.Record(Type.String(), Type.Integer(), { description: 'How many rows each rule has checked' }),
    findings: Type.Array(finding, { description: 'What breaks a rule' }),
    warnings: Type.Array(finding, { description: 'What breaks no rule and needs attention' }),
    not_checked: Type.Array(finding, {
      description:
        'What was not looked at, and why: the charges of a platform that does not respond, or that are too many'
    }),
    problems: Type.Array(ProblemBody, { description: 'What does not work at present, as in the status' })
  },
  {
    title: 'AuditReport',
    description: "What the auditor's rules have found.",
    examples: [
      {
        checked: { attempt_events_complete: 155, cycles_charged_once: 137, lists_counted: 76 },
        findings: [],
        warnings: [],
        not_checked: [],
        problems: []
      }
    ]
  }
)

/** POST /doctor */
export function runDoctorRoute(admin: Surface, { db, doctor, status }: AdminDeps): void {
  admin.post(
    '/doctor',
    {
      config: { allow: 'develop' },
      schema: {
        operationId: 'runDoctor',
        summary: "Check the auditor's rules",
        description: 'Reads what must always hold and reports where it does not. It changes nothing.',
        body: Type.Object({
          store: Type.Optional(
            text(253, 'a store id or domain', { meaning: 'Only this store; all without it', examples: ['store_2'] })
          )
        }),
        response: { 200: Report }
      }
    },
    async (request) => {
      const { store } = request.body
      const storeId = store === undefined ? null : (await requireStore(db, store)).storeId
      const report = await doctor(storeId)
      return { ...report, problems: (await status(storeId)).problems.map(presentProblem) } as never
    }
  )
}
