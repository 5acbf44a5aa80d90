import { day, instant, int, nullable, oneOf, type RowOf, row, text, textList } from '#kit/postgres'

/** What is known of a person and can be changed by our API. All but the birth date is the platform's too. */
export type Profile = {
  email: string | null
  firstName: string | null
  lastName: string | null
  birthDate: Temporal.PlainDate | null
}

/** The fields under their public names, which are also those of the columns. */
const NAMES = { email: 'email', firstName: 'first_name', lastName: 'last_name', birthDate: 'birth_date' } as const

const ON_PLATFORM = ['email', 'firstName', 'lastName'] as const

/** A locked row with what the platform is still to be told of. */
export const ProfileRow = row({
  id: int,
  platformCustomerId: text,
  email: nullable(text),
  firstName: nullable(text),
  lastName: nullable(text),
  birthDate: nullable(day),
  profilePending: textList,
  platformUpdatedAt: nullable(instant),
  status: nullable(oneOf('active', 'paused', 'cancelled'))
})
export type ProfileRow = RowOf<typeof ProfileRow>

type Changes = Record<string, { from: string | null; to: string | null }>

/** Each field that differs, as events tell it; null when none does. */
export function changesBetween<P extends Partial<Profile>>(before: P, after: P): Changes | null {
  const fields = (Object.keys(NAMES) as (keyof Profile)[]).filter((field) => field in before && field in after)
  const reported = fields.flatMap((field) => {
    const [from, to] = [shown(before[field]), shown(after[field])]
    return from === to ? [] : [[NAMES[field], { from, to }] as const]
  })
  return reported.length > 0 ? Object.fromEntries(reported) : null
}

const shown = (value: string | Temporal.PlainDate | null | undefined) => value?.toString() ?? null

/** Those of the changed fields that the platform has too. */
export function onPlatform(changes: Changes): string[] {
  return ON_PLATFORM.map((field) => NAMES[field]).filter((name) => name in changes)
}
