import { record } from '#kit/outbox'
import type { Ctx } from '#kit/postgres'
import { storeContext } from '#stores'
import { truncateFields } from './customer.ts'
import { memberUpdated } from './events.ts'
import { changesBetween, type Profile, type ProfileRow } from './profile.ts'
import { lockProfiles, writeProfiles } from './profile-queries.ts'
import { listMemberSnapshots } from './queries.ts'

/** The part of a profile that the platform has. */
export type PlatformProfile = Omit<Profile, 'birthDate'> & { updatedAt: Temporal.Instant | null }

/** What the platform is to be told: of each member only the fields that wait. */
export type ProfileToPush = {
  memberId: number
  platformCustomerId: string
  changed: Partial<Omit<PlatformProfile, 'updatedAt'>>
}

/**
 * What came of it: the customer as the platform has them now, be that its answer to the change or what was read after it.
 * Null: it has none.
 */
export type ProfilePushed = { push: ProfileToPush; reported: PlatformProfile | null }

const FIELDS = { email: 'email', first_name: 'firstName', last_name: 'lastName' } as const
type Name = keyof typeof FIELDS

/** Members among the ids of whom the platform is still to be told. */
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
 * Takes over what the platform has after a push: what it made of the change, or what it had before when it refused it,
 * which is told by member.updated. A field that was changed again meanwhile goes on waiting: another push is on its way.
 * Where newer news than what was told came meanwhile, that of the fields in the push was not believed: such a push is left
 * as it is and said to be `outrun`, to be settled by what is read anew. What was read can be outrun like an answer.
 */
export async function settleProfiles(ctx: Ctx, pushed: ProfilePushed[]): Promise<('settled' | 'outrun')[]> {
  const pushes = new Map(pushed.map((p) => [p.push.memberId, p]))
  const members = await lockProfiles(ctx, [...pushes.keys()])
  const outrun = new Set(members.filter((member) => isStale(member, pushes.get(member.id)!)).map(({ id }) => id))
  const settled = members.filter(({ id }) => !outrun.has(id)).map((member) => settle(member, pushes.get(member.id)!))
  await writeProfiles(ctx, settled)

  const changed = new Map(settled.flatMap(({ id, changes }) => (changes ? [[id, changes]] : [])))
  if (changed.size > 0) {
    const store = await storeContext(ctx)
    const snapshots = await listMemberSnapshots(ctx, [...changed.keys()])
    await record(ctx, ...snapshots.map((member) => memberUpdated(member, changed.get(member.id)!, store)))
  }
  return pushed.map(({ push }) => (outrun.has(push.memberId) ? 'outrun' : 'settled'))
}

function isStale({ platformUpdatedAt }: ProfileRow, { reported }: ProfilePushed): boolean {
  if (!reported?.updatedAt || !platformUpdatedAt) return false
  return Temporal.Instant.compare(reported.updatedAt, platformUpdatedAt) < 0
}

/** The member with what the platform has of every field that does not wait, and the fields that wait still. */
function settle(member: ProfileRow, { push, reported }: ProfilePushed) {
  const before = profileOf(member)
  const pending = (member.profilePending as Name[]).filter((name) => {
    const field = FIELDS[name]
    return !(field in push.changed) || push.changed[field] !== before[field]
  })
  const after = { ...before }
  for (const [name, field] of reported ? (Object.entries(FIELDS) as [Name, (typeof FIELDS)[Name]][]) : []) {
    if (pending.includes(name)) continue
    // Of a field that we did not name, null may mean that we are not shown it.
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
