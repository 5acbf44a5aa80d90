import { publicId } from '#kit/ids'
import type { Ctx } from '#kit/postgres'
import { invalidField, Refusal } from '#kit/refusal'

export const storeNotFound = (reference: string) => new Refusal('not_found', `There is no store ${reference}`)

export const domainTaken = (domain: string) =>
  new Refusal('conflict', `There already is a store ${domain}`, [
    { field: 'domain', code: 'invalid', message: 'is the domain of another store' }
  ])

export const keyNotFound = (keyId: number) => new Refusal('not_found', `There is no API key ${publicId('key', keyId)}`)

export const keyEnded = (keyId: number) =>
  new Refusal('conflict', `API key ${publicId('key', keyId)} no longer works: create a new key instead of rolling it`)

export const unusableKeyOverlap = (maxHours: number) =>
  invalidField('overlap', `must be a whole number of hours from 0 to ${maxHours}`)

export const alertNotFound = (id: string) => new Refusal('not_found', `There is no alert ${id}`)

export const noScopes = () => invalidField('scopes', 'must name a scope; leave it out for a key with all of them')

export const unknownScope = (scope: string, allowed: readonly string[]) =>
  invalidField('scopes', `must be any of ${allowed.join(', ')}; ${JSON.stringify(scope)} is not one of them`)

export const clockOfLiveStore = (domain: string) =>
  new Refusal('conflict', `Store ${domain} is not a sandbox store: its clock is real time and cannot be set`)

export const clockBackwards = (now: Temporal.Instant, to: Temporal.Instant) =>
  new Refusal('conflict', `The clock is at ${now} and cannot go back to ${to}`)

export const storeDisconnected = (domain: string) =>
  new Refusal(
    'conflict',
    `Store ${domain} is disconnected from its platform; \`perennial store connect --store ${domain}\` connects it again`
  )

/** For whoever changes the platform at the request of a person: what is known here may be older than what is there. */
export function refuseOnHold({ isRestored }: Pick<Ctx, 'isRestored'>): void {
  if (!isRestored) return
  throw new Refusal(
    'unavailable',
    'The store is on hold since it was restored from a backup: nothing is changed on its platform until that has been read. Try ' +
      'again when `perennial store list` shows no restored_at for it'
  )
}

export const storeDeleting = (domain: string) =>
  new Refusal(
    'conflict',
    `Store ${domain} is being deleted; try again when \`perennial store list\` no longer shows it`
  )

export const notTheName = (name: string) =>
  invalidField('name', `must be the name of the store, ${JSON.stringify(name)}: it confirms the deletion`)

export const tokenNeeded = () => invalidField('access_token', 'is required for a store that is not a sandbox')
