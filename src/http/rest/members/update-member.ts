import { randomUUID } from 'node:crypto'
import { type Static, Type } from 'typebox'
import { invalidBody } from '#kit/refusal'
import { type Profile, updateMember } from '#members'
import { adjustPoints } from '#points'
import { MemberBody } from '#resources'
import { findMember } from '#views'
import { withIdempotency } from '../../shared/idempotency.ts'
import { WHITE_SPACE } from '../../shared/not-blank.ts'
import { idInPath } from '../../shared/path-ids.ts'
import type { Surface } from '../../shared/surface.ts'
import { callerOf } from '../caller.ts'
import { Envelope, envelope } from '../envelope.ts'
import { presentMember } from '../present-member.ts'
import { MemberParams } from './member-params.ts'

/** The spec names no bound; this one leaves every sum of points far below 2^53. */
const MAX_POINTS = 1_000_000_000_000

/** One that can be seen, and not only spaces, joiners and fillers of no width: not every engine knows it in a pattern. */
const VISIBLE = /[^\s\p{C}\p{Default_Ignorable_Code_Point}]/u

/** The control characters, inside a class: as every engine of patterns writes them. */
const CONTROL = '\\x00-\\x1f\\x7f-\\x9f'

const NO_PART = `${WHITE_SPACE}@${CONTROL}`
/** Written so that no address costs more than its length: the dot is the first that is not the domain's first character. */
const ADDRESS = `^[^${NO_PART}]+@[^${NO_PART}][^${NO_PART}.]*\\.[^${NO_PART}]+$`

const name = (example: string) =>
  Type.Optional(
    Type.Union(
      [
        Type.Refine(
          Type.String({ minLength: 1, maxLength: 200, pattern: `^[^${CONTROL}]+$`, examples: [example] }),
          (text) => VISIBLE.test(text)
        ),
        Type.Null()
      ],
      {
        description: 'a text of 1 to 200 characters that is not blank and has no control characters, or null for none',
        meaning: 'Spaces around it are removed'
      }
    )
  )

/** The spec shows loyalty_points; the other fields are ours (docs/decisions). */
const UpdateBody = Type.Object(
  {
    loyalty_points: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: MAX_POINTS,
        description: `an integer from 0 to ${MAX_POINTS}`,
        examples: [120]
      })
    ),
    email: Type.Optional(
      Type.String({
        maxLength: 320,
        pattern: ADDRESS,
        description: 'an e-mail address such as hanna.ito@example.com of at most 320 characters',
        meaning: 'An address of another customer of the store is an error',
        examples: ['hanna.ito@example.com']
      })
    ),
    first_name: name('Hanna'),
    last_name: name('Ito'),
    birth_date: Type.Optional(
      Type.Union(
        [
          Type.Refine(
            Type.String({ format: 'date', pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}$', examples: ['1990-01-31'] }),
            (text) => dayOf(text) !== null
          ),
          Type.Null()
        ],
        { description: 'a past day such as 1990-01-31, or null for none' }
      )
    )
  },
  { minProperties: 1 }
)

/** PATCH /members/{member_id} (spec 1, Endpoints). */
export function updateMemberRoute(rest: Surface): void {
  rest.patch(
    '/members/:member_id',
    {
      config: { allow: 'write:members' },
      schema: {
        operationId: 'updateMember',
        summary: 'Update a member',
        description:
          'Changes the fields that are given. `loyalty_points` sets the balance by adding an entry to the ledger. E-mail address and name are changed on the platform too.',
        params: MemberParams,
        body: UpdateBody,
        response: { 200: Envelope(MemberBody) }
      }
    },
    (request, reply) => {
      const { profile } = callerOf(request)
      const { body, params } = request
      if (Object.keys(body).length === 0) throw nothingGiven()
      return withIdempotency(request, reply, async (ctx) => {
        const id = idInPath('mem', params.member_id)
        await updateMember(ctx, id, profileIn(body))
        if (body.loyalty_points !== undefined) {
          const operationId = `api:${randomUUID()}`
          await adjustPoints(ctx, [{ memberId: id, balance: body.loyalty_points, reason: 'adjustment', operationId }])
        }
        const member = await findMember(ctx.tx, ctx.storeId, id)
        return envelope(presentMember(member!, profile))
      })
    }
  )
}

/** The part of the body that is the member's profile; fields that are not given are not in it. */
function profileIn({ email, first_name, last_name, birth_date }: Static<typeof UpdateBody>): Partial<Profile> {
  return {
    ...(email !== undefined && { email }),
    ...(first_name !== undefined && { firstName: first_name?.trim() ?? null }),
    ...(last_name !== undefined && { lastName: last_name?.trim() ?? null }),
    ...(birth_date !== undefined && { birthDate: birth_date === null ? null : dayOf(birth_date) })
  }
}

function dayOf(text: string): Temporal.PlainDate | null {
  try {
    return Temporal.PlainDate.from(text)
  } catch {
    return null
  }
}

const nothingGiven = () =>
  invalidBody(`must hold at least one of ${Object.keys(UpdateBody.properties).join(', ')}`, 'required')
