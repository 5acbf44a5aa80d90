import { bool, day, instant, int, nullable, oneOf, type RowOf, row, text, textList } from '#kit/postgres'

/** What our API can change of a person. The platform has all of it except the birth date. */
export type Profile = {
  email: string | null
  firstName: string | null
  lastName: string | null
  birthDate: Temporal.PlainDate | null
}

/** The public names of the fields, which are also the names of their columns. */
const NAMES = { email: 'email', firstName: 'first_name', lastName: 'last_name', birthDate: 'birth_date' } as const

const ON_PLATFORM = ['email', 'firstName', 'lastName'] as const

/** A locked row with the fields that wait to be pushed to the platform. */
export const ProfileRow = row({
  id: int,
  platformCustomerId: text,
  email: nullable(text),
  firstName: nullable(text),
  lastName: nullable(text),
  birthDate: nullable(day),
  profilePending: textList,
  platformUpdatedAt: nullable(instant),
  status: nullable(oneOf('active', 'paused', 'cancelled')),
  isErased: bool
})
export type ProfileRow = RowOf<typeof ProfileRow>

export type ProfileChanges = Record<string, { from: string | null; to: string | null }>

/** The fields that differ, in the format of events; null when none does. */
export function changesBetween<P extends Partial<Profile>>(before: P, after: P): ProfileChanges | null {
  const fields = (Object.keys(NAMES) as (keyof Profile)[]).filter((field) => field in before && field in after)
  const reported = fields.flatMap((field) => {
    const [from, to] = [shown(before[field]), shown(after[field])]
    return from === to ? [] : [[NAMES[field], { from, to }] as const]
  })
  return reported.length > 0 ? Object.fromEntries(reported) : null
}

const shown = (value: string | Temporal.PlainDate | null | undefined) => value?.toString() ?? null

/** The changed fields that the platform has too. */
export function onPlatform(changes: ProfileChanges): string[] {
  return ON_PLATFORM.map((field) => NAMES[field]).filter((name) => name in changes)
}
