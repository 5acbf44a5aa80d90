import { publicId } from '#kit/ids'
import { enqueue } from '#kit/jobs'
import { record } from '#kit/outbox'
import type { Ctx } from '#kit/postgres'
import { invalidField, Refusal } from '#kit/refusal'
import { storeContext } from '#stores'
import { birthDateChanged } from './events/birth-date-changed.ts'
import { memberUpdated } from './events/member-updated.ts'
import { changesBetween, onPlatform, type Profile } from './profile.ts'
import { isEmailTaken, lockProfiles, writeProfiles } from './profile-queries.ts'
import { pushCustomerJob } from './push-customers.ts'
import { listMemberSnapshots } from './queries.ts'

/**
 * Changes a member's profile; fields that are left out stay. Holds the row until the transaction ends. Fields that the platform has
 * too are pushed to it after the commit; until then its customer updates do not change them.
 */
export async function updateMember(ctx: Ctx, memberId: number, wanted: Partial<Profile>): Promise<void> {
  const [member] = await lockProfiles(ctx, [memberId])
  if (!member || member.status === null) throw memberNotFound(publicId('mem', memberId))
  if (member.isErased) throw memberErased(publicId('mem', memberId))
  const store = await storeContext(ctx)
  if (wanted.birthDate) checkBirthDate(wanted.birthDate, ctx.now.toZonedDateTimeISO(store.timezone).toPlainDate())

  const after = { ...member, ...wanted }
  const changes = changesBetween<Profile>(member, after)
  if (!changes) return
  // Of two members who get one address at the same time, the platform decides which one keeps it.
  if (changes.email && wanted.email && (await isEmailTaken(ctx, wanted.email, memberId))) throw emailTaken()
  const pushed = onPlatform(changes)
  const pending = [...new Set([...member.profilePending, ...pushed])]
  await writeProfiles(ctx, [{ ...after, pending, isChanged: true, platformAt: null }])
  const [snapshot] = await listMemberSnapshots(ctx, [memberId])
  await record(
    ctx,
    memberUpdated(snapshot!, changes, store),
    ...(changes.birth_date ? [birthDateChanged(member, { from: member.birthDate, to: after.birthDate })] : [])
  )
  if (pushed.length > 0) await enqueue(ctx, pushCustomerJob, [{ memberId }])
}

const EARLIEST_YEAR = 1900

function checkBirthDate(birthDate: Temporal.PlainDate, today: Temporal.PlainDate) {
  if (isBirthDate(birthDate, today)) return
  throw invalidField('birth_date', `must be a day in the past, from ${EARLIEST_YEAR}-01-01 on`)
}

/** Whether somebody who is alive may be born on a day. */
export const isBirthDate = (day: Temporal.PlainDate, today: Temporal.PlainDate): boolean =>
  day.year >= EARLIEST_YEAR && Temporal.PlainDate.compare(day, today) < 0

/**
 * Enters the birth dates of customers, members or not, of whom none is known; a known one stays, and nothing is added to what was erased. Returns
 * whose were entered.
 */
export async function enterBirthDates(
  ctx: Ctx,
  given: { memberId: number; birthDate: Temporal.PlainDate }[]
): Promise<Set<number>> {
  if (given.length === 0) return new Set()
  const dates = new Map(given.map(({ memberId, birthDate }) => [memberId, birthDate]))
  const profiles = (await lockProfiles(ctx, [...dates.keys()])).filter(
    ({ birthDate, isErased }) => birthDate === null && !isErased
  )
  if (profiles.length === 0) return new Set()
  const after = profiles.map((one) => ({ ...one, birthDate: dates.get(one.id)! }))
  await writeProfiles(
    ctx,
    after.map((one) => ({ ...one, pending: one.profilePending, isChanged: true, platformAt: null }))
  )
  const store = await storeContext(ctx)
  const members = after.filter(({ status }) => status !== null).map(({ id }) => id)
  const snapshots = members.length === 0 ? [] : await listMemberSnapshots(ctx, members)
  await record(
    ctx,
    ...snapshots.map((snapshot) =>
      memberUpdated(snapshot, { birth_date: { from: null, to: dates.get(snapshot.id)!.toString() } }, store)
    ),
    ...after.map((one) => birthDateChanged(one, { from: null, to: one.birthDate }))
  )
  return new Set(after.map(({ id }) => id))
}

const emailTaken = () => invalidField('email', 'is the address of another customer of the store')

const memberErased = (id: string) =>
  new Refusal('conflict', `The personal data of member ${id} was erased, and no new data can be added`)

export const memberNotFound = (id: string) => new Refusal('not_found', `There is no member ${id}`)
