import { record } from '#kit/outbox'
import type { Ctx } from '#kit/postgres'
import { storeContext } from '#stores'
import { truncateFields } from './customer.ts'
import { memberUpdated } from './events/member-updated.ts'
import { changesBetween, type Profile, type ProfileRow } from './profile.ts'
import { lockProfiles, writeProfiles } from './profile-queries.ts'
import { listMemberSnapshots } from './queries.ts'

/** The part of a profile that the platform has. */
export type PlatformProfile = Omit<Profile, 'birthDate'> & { updatedAt: Temporal.Instant | null }

/** The fields of a member that are waiting to be pushed. */
export type ProfileToPush = {
  memberId: number
  platformCustomerId: string
  changed: Partial<Omit<PlatformProfile, 'updatedAt'>>
}

/**
 * The result of a push: the customer as the platform has it now, from its answer to the change or from a read after it. Null: the
 * platform has no such customer.
 */
export type ProfilePushed = { push: ProfileToPush; reported: PlatformProfile | null }

const FIELDS = { email: 'email', first_name: 'firstName', last_name: 'lastName' } as const
type Name = keyof typeof FIELDS

/** The members among the ids that have fields waiting to be pushed. */
export async function listProfilesToPush(ctx: Ctx, memberIds: number[]): Promise<ProfileToPush[]> {
  const members = await lockProfiles(ctx, memberIds)
  return members
    .filter(({ profilePending }) => profilePending.length > 0)
    .map((member) => ({
      memberId: member.id,
      platformCustomerId: member.platformCustomerId,
      changed: Object.fromEntries((member.profilePending as Name[]).map((name) => [FIELDS[name], member[FIELDS[name]]]))
    }))
}

/**
 * Stores what the platform has after a push: its version of the change, or the old value when it refused the change, which is
 * recorded as member.updated. A field that was changed again meanwhile keeps waiting, because another push follows. A result that
 * is older than a customer update received meanwhile is `stale` and stored nowhere, because that update was ignored for the
 * fields being pushed: read the customer again and settle with that. That read can be stale too.
 */
export async function settleProfiles(ctx: Ctx, pushed: ProfilePushed[]): Promise<('settled' | 'stale')[]> {
  const pushes = new Map(pushed.map((p) => [p.push.memberId, p]))
  const members = await lockProfiles(ctx, [...pushes.keys()])
  const stale = new Set(members.filter((member) => isStale(member, pushes.get(member.id)!)).map(({ id }) => id))
  const settled = members.filter(({ id }) => !stale.has(id)).map((member) => settle(member, pushes.get(member.id)!))
  await writeProfiles(ctx, settled)

  const changed = new Map(settled.flatMap(({ id, changes }) => (changes ? [[id, changes]] : [])))
  if (changed.size > 0) {
    const store = await storeContext(ctx)
    const snapshots = await listMemberSnapshots(ctx, [...changed.keys()])
    await record(ctx, ...snapshots.map((member) => memberUpdated(member, changed.get(member.id)!, store)))
  }
  return pushed.map(({ push }) => (stale.has(push.memberId) ? 'stale' : 'settled'))
}

function isStale({ platformUpdatedAt }: ProfileRow, { reported }: ProfilePushed): boolean {
  if (!reported?.updatedAt || !platformUpdatedAt) return false
  return Temporal.Instant.compare(reported.updatedAt, platformUpdatedAt) < 0
}

/** The member with the platform's value of every field that is not waiting, and the fields that still wait. */
function settle(member: ProfileRow, { push, reported }: ProfilePushed) {
  const before = profileOf(member)
  const pending = (member.profilePending as Name[]).filter((name) => {
    const field = FIELDS[name]
    return !(field in push.changed) || push.changed[field] !== before[field]
  })
  const after = { ...before }
  for (const [name, field] of reported ? (Object.entries(FIELDS) as [Name, (typeof FIELDS)[Name]][]) : []) {
    if (pending.includes(name)) continue
    // For a field that we did not push, null may mean that we may not see it.
    after[field] = truncateFields(reported!)[field] ?? (field in push.changed ? null : before[field])
  }
  const changes = changesBetween(before, after)
  return {
    id: member.id,
    ...after,
    pending,
    changes,
    isChanged: changes !== null,
    platformAt: reported?.updatedAt ?? null
  }
}

function profileOf({ email, firstName, lastName, birthDate }: ProfileRow): Profile {
  return { email, firstName, lastName, birthDate }
}
