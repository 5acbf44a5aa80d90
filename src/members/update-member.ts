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
  if (birthDate.year >= EARLIEST_YEAR && Temporal.PlainDate.compare(birthDate, today) < 0) return
  throw invalidField('birth_date', `must be a day in the past, from ${EARLIEST_YEAR}-01-01 on`)
}

const emailTaken = () => invalidField('email', 'is the address of another customer of the store')

const memberErased = (id: string) =>
  new Refusal('conflict', `The personal data of member ${id} was erased, and no new data can be added`)

export const memberNotFound = (id: string) => new Refusal('not_found', `There is no member ${id}`)
