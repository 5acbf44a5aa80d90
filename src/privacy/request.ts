import type { Person } from '#kit/personal-data'
import { instant, int, json, nullable, oneOf, type RowOf, row, text } from '#kit/postgres'

/** The platform's topics, by which an operator's own requests are recorded too. */
export const PRIVACY_TOPICS = ['customers/data_request', 'customers/redact', 'shop/redact'] as const
export type PrivacyTopic = (typeof PRIVACY_TOPICS)[number]

/**
 * `waiting`: nothing is done yet. `running`: the person's row is erased, and their other data is looked for. `checking`: that was all, and it is
 * looked once more for what was written meanwhile, and others are asked until they have deleted what they have. `ready`: the file of a data request waits to be fetched.
 */
export const PRIVACY_STATUSES = ['waiting', 'running', 'checking', 'ready', 'done', 'refused'] as const

export const PrivacyRequest = row({
  id: int,
  topic: oneOf(...PRIVACY_TOPICS),
  source: oneOf('platform', 'operator'),
  platformRequestId: nullable(text),
  memberId: nullable(int),
  status: oneOf(...PRIVACY_STATUSES),
  reason: nullable(text),
  counts: json<Record<string, number>>(),
  receivedAt: instant,
  dueAt: instant,
  doneAt: nullable(instant),
  /** Until when its file can be fetched; null where there is none. */
  expiresAt: nullable(instant)
})
export type PrivacyRequest = RowOf<typeof PrivacyRequest>

/** Who a request is about, as whoever made it said it. Numbers are those of the platform. */
export type Subject = {
  customerId: string | null
  memberId: number | null
  email: string | null
  phone: string | null
  orderNumbers: string[]
}

/** The law's and the platform's deadline. */
export const DAYS_TO_CARRY_OUT = 30

/** How far an erasure has come: rounds before this one, the table and the place in it, and the rows that this round has changed. */
export type Progress = {
  round: number
  table: string
  after: string | null
  changed: number
  /** Others are asked next to delete what they have: `first` before the tables of a round, `last` when nothing else is to be done. */
  others?: 'first' | 'last'
  /** What others still have, and why, as of when they were asked in this round; left out: nothing. */
  left?: string
  /** The request has waited for others, of which there is an alert. */
  hasWaited?: true
}

/**
 * While a request runs: who it was found to be; the tags that we have given them on the platform, and the serial numbers of their passes that
 * Google may have, since others are asked more than once, when our rows of that are gone. None in requests of earlier versions.
 */
export type StoredSubject = { asked: Subject; person: Person | null; tags?: string[]; googleSerials?: string[] }
