import { record } from '#kit/outbox'
import type { Ctx } from '#kit/postgres'
import { storeFacts } from '#stores'
import { memberUpdated } from './events.ts'
import { changesBetween, type Profile, type ProfileRow } from './profile.ts'
import { lockProfiles, writeProfiles } from './profile-queries.ts'
import { listMemberSnapshots } from './queries.ts'

/** The part of a profile that the platform has. */
export type PlatformProfile = Omit<Profile, 'birthDate'> & { updatedAt: Temporal.Instant | null }

/** What the platform is to be told: of each member only the fields that wait. */
export type ProfileToPush = { memberId: number; platformCustomerId: string; whole: Profile; changed: Partial<Profile> }

/** What came of it: the customer as the platform has them now, whether it took the change or refused it. Null: it has none. */
export type ProfilePushed = { push: ProfileToPush; told: PlatformProfile | null }

const FIELDS = { email: 'email', first_name: 'firstName', last_name: 'lastName' } as const

/** Members among the ids of whom the platform is still to be told. */
export async function listProfilesToPush(ctx: Ctx, memberIds: number[]): Promise<ProfileToPush[]> {
  const members = await lockProfiles(ctx, memberIds)
  return members
    .filter(({ profilePending }) => profilePending.length > 0)
    .map((member) => ({
      memberId: member.id,
      platformCustomerId: member.platformCustomerId,
      whole: profileOf(member),
      changed: Object.fromEntries(
        (member.profilePending as (keyof typeof FIELDS)[]).map((name) => [FIELDS[name], member[FIELDS[name]]])
      )
    }))
}

/**
 * Takes over what the platform has after a push: what it made of the change, or what it had before when it refused it,
 * which is told by member.updated. A member changed again meanwhile stays as they are: another push is on its way.
 */
export async function settleProfiles(ctx: Ctx, pushed: ProfilePushed[]): Promise<void> {
  const pushes = new Map(pushed.map((p) => [p.push.memberId, p]))
  const members = await lockProfiles(ctx, [...pushes.keys()])
  const settled = members.flatMap((member) => {
    const { push, told } = pushes.get(member.id)!
    const before = profileOf(member)
    if (changesBetween(before, push.whole)) return []
    const after = told ? { ...before, email: told.email, firstName: told.firstName, lastName: told.lastName } : before
    const changes = changesBetween(before, after)
    return [{ id: member.id, ...after, changes, platformAt: told?.updatedAt ?? null }]
  })
  await writeProfiles(
    ctx,
    settled.map((s) => ({ ...s, pending: [], isChanged: s.changes !== null }))
  )

  const changed = new Map(settled.flatMap(({ id, changes }) => (changes ? [[id, changes]] : [])))
  if (changed.size === 0) return
  const store = await storeFacts(ctx)
  const snapshots = await listMemberSnapshots(ctx, [...changed.keys()])
  await record(ctx, ...snapshots.map((member) => memberUpdated(member, changed.get(member.id)!, store)))
}

function profileOf({ email, firstName, lastName, birthDate }: ProfileRow): Profile {
  return { email, firstName, lastName, birthDate }
}
