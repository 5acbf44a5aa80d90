import { Refusal } from '#kit/refusal'
import type { TaggedKind } from '#platform'

export const ownerNotFound = (kind: TaggedKind, id: string) =>
  new Refusal('not_found', `There is no ${kind} ${id}`, [
    { field: kind, code: 'not_found', message: `${kind} names no ${kind} of this store` }
  ])

export const tagsNotRead = (message: string) =>
  new Refusal('unavailable', `The tags could not be read from the platform: ${message}`)
