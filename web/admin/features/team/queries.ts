import { queryOptions } from '@tanstack/react-query'
import { api, bodyOf } from '../../shared/api/client.ts'
import type { components } from '../../shared/api/schema.ts'
import type { TeamRole } from '../../shared/session/auth.ts'

export type Person = components['schemas']['Person']
export type Change = components['schemas']['Change']

export const peopleQuery = queryOptions({
  queryKey: ['people'],
  queryFn: async ({ signal }) => (await bodyOf(api.GET('/team/people', { signal }))).data
})

export const invitationsQuery = queryOptions({
  queryKey: ['invitations'],
  queryFn: async ({ signal }) => (await bodyOf(api.GET('/team/invitations', { signal }))).data
})

export const changesQuery = (store: string, before: string | undefined) =>
  queryOptions({
    queryKey: ['changes', store, before],
    queryFn: ({ signal }) => {
      const query = { ...(store !== '' && { store }), ...(before !== undefined && { before: Number(before) }) }
      return bodyOf(api.GET('/changes', { params: { query }, signal }))
    }
  })

export const invite = (body: { email: string; role: TeamRole }) => bodyOf(api.POST('/team/invitations', { body }))

export const withdraw = (invitation: string) =>
  bodyOf(api.DELETE('/team/invitations/{invitation}', { params: { path: { invitation } } }))

/** What an owner does to somebody's account. */
export function actionsFor(person: string) {
  const params = { path: { person } }
  return {
    changeRole: (role: TeamRole) => bodyOf(api.PATCH('/team/people/{person}', { params, body: { role } })),
    makePasswordLink: () => bodyOf(api.POST('/team/people/{person}/password-link', { params })),
    removeSecondFactor: () => bodyOf(api.DELETE('/team/people/{person}/two-factor', { params })),
    endSessions: () => bodyOf(api.DELETE('/team/people/{person}/sessions', { params })),
    remove: () => bodyOf(api.DELETE('/team/people/{person}', { params }))
  }
}
