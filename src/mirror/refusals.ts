import { Refusal } from '#kit/refusal'
import type { TaggedKind } from '#platform'

export const ownerNotFound = (kind: TaggedKind, id: string) =>
  new Refusal('not_found', `There is no ${kind} ${id}`, [
    { field: kind, code: 'not_found', message: `${kind} names no ${kind} of this store` }
  ])

export const tagsNotRead = (message: string) =>
  new Refusal('unavailable', `The tags could not be read from the platform: ${message}`)

export const metafieldsNotRead = (message: string) =>
  new Refusal('unavailable', `The metafields could not be read from the platform: ${message}`)

export const metafieldsNotKept = () =>
  new Refusal('conflict', 'The store is not connected to its platform yet, so it has no metafields')

export const discountsNotKept = () =>
  new Refusal('conflict', 'The store is not connected to its platform yet, so it has no discounts')
