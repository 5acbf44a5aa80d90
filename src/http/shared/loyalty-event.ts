import { createHash } from 'node:crypto'
import { type Static, Type } from 'typebox'
import { publicId } from '#kit/ids'
import type { Ctx } from '#kit/postgres'
import { type FieldProblem, invalidField, invalidFields } from '#kit/refusal'
import { reportEvent } from '#loyalty'
import type { LoyaltyEventBody } from '#resources'
import { IsoDate, instantOrUndefined } from './dates.ts'
import { notBlank } from './not-blank.ts'

/** What is said of an event that another program reports, beside whose it is. */
export const LoyaltyEventFields = {
  type: Type.Unsafe<'custom_action' | 'review'>(
    Type.Union([Type.Literal('custom_action'), Type.Literal('review')], {
      description: 'custom_action or review',
      meaning: 'What happened: the type of the rules that it is counted by'
    })
  ),
  action_key: Type.Optional(
    Type.String({
      pattern: '^[A-Za-z0-9_.:-]{1,64}$',
      description: 'a name of 1 to 64 letters, digits, - _ . or :',
      meaning: 'The `action_key` of rules; required for `custom_action`',
      examples: ['quiz_done']
    })
  ),
  provider: Type.Optional(
    Type.String({
      ...notBlank(50, { meaning: 'The service that has the review; required for `review`', examples: ['judge.me'] })
    })
  ),
  event_id: Type.Optional(
    Type.String({
      pattern: '^[\\x21-\\x7e]{1,200}$',
      description: '1 to 200 visible ASCII characters without spaces',
      meaning: "Identifies the event among the customer's of the same `action_key` or `provider`: it counts once",
      examples: ['quiz-815']
    })
  ),
  occurred_at: IsoDate('When it happened; now by default. A rule counts what happened within its dates', '2026-11-20'),
  deleted: Type.Optional(
    Type.Boolean({
      description: 'true or false',
      meaning: 'The review was deleted: what it has earned is taken back. Needs `event_id`',
      examples: [false]
    })
  )
}
const Fields = Type.Object(LoyaltyEventFields)
type Fields = Static<typeof Fields>

/** Clocks of other machines may be ahead by this. */
const AHEAD = { minutes: 5 }

/** Refuses fields that do not go together, all at once. */
export function checkLoyaltyEvent({ type, action_key, provider, event_id, deleted = false }: Fields): void {
  const problems: FieldProblem[] = []
  const needed = (field: keyof Fields, when: string) =>
    problems.push({ field, code: 'required', message: `is required ${when} and must be ${acceptedBy(field)}` })
  const unwanted = (field: keyof Fields, when: string) =>
    problems.push({ field, code: 'invalid', message: `must be left out ${when}` })
  if (type === 'custom_action') {
    const when = 'where type is custom_action'
    if (action_key === undefined) needed('action_key', when)
    if (provider !== undefined) unwanted('provider', when)
    if (deleted) unwanted('deleted', when)
  } else {
    const when = 'where type is review'
    if (provider === undefined) needed('provider', when)
    if (action_key !== undefined) unwanted('action_key', when)
    if (deleted && event_id === undefined) needed('event_id', 'where deleted is true')
  }
  if (problems.length > 0) throw invalidFields(problems)
}

const acceptedBy = (field: keyof Fields) => (Fields.properties[field] as { description?: string }).description

/**
 * Counts an event whose fields were checked, and returns what it has earned. `requestKey` identifies it where it has no `event_id`: that of the
 * request.
 */
export async function countLoyaltyEvent(
  ctx: Ctx,
  customerId: number,
  fields: Fields,
  { timezone, requestKey }: { timezone: string; requestKey: string }
): Promise<Static<typeof LoyaltyEventBody>> {
  const { type, action_key, provider, event_id = null, occurred_at, deleted = false } = fields
  const at = instantOrUndefined(occurred_at, timezone) ?? ctx.now
  if (Temporal.Instant.compare(at, ctx.now.add(AHEAD)) > 0)
    throw invalidField('occurred_at', 'must not be in the future')
  const { memberId, points, balance, rules } = await reportEvent(ctx, {
    customerId,
    cause:
      type === 'custom_action'
        ? { kind: 'action', actionKey: action_key! }
        : { kind: 'review', provider: provider!.trim(), isDeleted: deleted },
    // A digest: ids of other programs may hold anything, also an address.
    eventKey: digestOf(event_id === null ? `request ${requestKey}` : `event ${event_id}`),
    at: Temporal.Instant.compare(at, ctx.now) > 0 ? ctx.now : at
  })
  return {
    customer_id: publicId('cust', memberId),
    type,
    event_id,
    points,
    loyalty_points: balance,
    rules: rules.map(({ rewardType, ...rule }) => ({ ...rule, reward_type: rewardType }))
  }
}

const digestOf = (text: string) => createHash('sha256').update(text).digest('hex')
