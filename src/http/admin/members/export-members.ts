import { Readable } from 'node:stream'
import { Type } from 'typebox'
import { csvLine, escapeFormula } from '#kit/csv'
import { internalId } from '#kit/ids'
import { numberOf } from '#kit/money'
import { allMembers, type MemberView } from '#views'
import type { Surface } from '../../shared/surface.ts'
import type { AdminDeps } from '../deps.ts'
import { oneOf, text } from '../fields.ts'
import { StoreParams, storeOf } from '../store.ts'

const COLUMNS = [
  'customer_id',
  'email',
  'first_name',
  'last_name',
  'status',
  'plan',
  'tier',
  'loyalty_tier',
  'loyalty_points',
  'store_credit',
  'currency',
  'member_since',
  'next_billing_date'
]

/** No plan has this number: nobody is in it. */
const NO_PLAN = -1

/** GET /stores/{store}/members/export */
export function exportMembersRoute(admin: Surface, { db }: AdminDeps): void {
  admin.get(
    '/stores/:store/members/export',
    {
      config: { allow: 'support' },
      schema: {
        operationId: 'exportMembers',
        summary: 'Export members',
        description: `All members as CSV with a header: ${COLUMNS.join(', ')}. Times are in UTC. Texts that a spreadsheet would compute begin with an apostrophe.`,
        params: StoreParams,
        querystring: Type.Object({
          status: Type.Optional(
            oneOf(['active', 'paused', 'cancelled'], { meaning: 'Members with this status', examples: ['active'] })
          ),
          plan_id: Type.Optional(text(200, 'a plan id', { meaning: 'Members with this plan', examples: ['plan_1'] }))
        }),
        produces: ['text/csv'],
        response: {
          200: Type.String({
            description: 'The file',
            examples: ['7064055069370,hanna.ito@example.com,Hanna,Ito,active,VIP,VIP,Gold,120,15,EUR,…']
          })
        }
      }
    },
    async (request, reply) => {
      const { status = null, plan_id } = request.query
      const planId = plan_id === undefined ? null : (internalId('plan', plan_id) ?? NO_PLAN)
      const { storeId, domain } = storeOf(request)
      const lines = async function* () {
        yield csvLine(COLUMNS)
        for await (const rows of allMembers(db.direct, storeId, { status, planId })) {
          yield rows.map((row) => csvLine(cellsOf(row))).join('')
        }
      }
      return reply
        .type('text/csv; charset=utf-8')
        .header('content-disposition', `attachment; filename="members-${domain}.csv"`)
        .send(Readable.from(lines(), { objectMode: false }) as never)
    }
  )
}

const cellsOf = (row: MemberView): string[] =>
  [
    row.platformCustomerId,
    row.email,
    row.firstName,
    row.lastName,
    row.status,
    row.planName,
    row.tier,
    row.loyaltyTier,
    String(row.loyaltyPoints),
    String(numberOf(row.storeCreditMinor, row.currency)),
    row.currency,
    row.memberSince,
    row.nextBillingAt
  ].map((value) => escapeFormula(value ?? ''))
