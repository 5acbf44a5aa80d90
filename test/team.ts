import type { Role } from '#team'
import type { ServiceOnItsOwn } from './service-builder.ts'

/** Of everybody whom `person` makes. */
export const PASSWORD = 'a sentence nobody else says'

/** A response, and the cookies that it sets. */
export type TeamResponse = { status: number; body: any; cookie: string; headers: Headers }

/** The people of a service, over HTTP, as their browsers ask. */
export function aTeam(service: Pick<ServiceOnItsOwn, 'urls' | 'admin'>) {
  const ask = async (
    method: string,
    path: string,
    given: { body?: unknown; cookie?: string; headers?: Record<string, string> } = {}
  ): Promise<TeamResponse> => {
    const { body, cookie = '', headers = {} } = given
    const response = await fetch(`${service.urls.public}${path}`, {
      method,
      headers: {
        origin: service.urls.public,
        ...(cookie && { cookie }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers
      },
      ...(body !== undefined && { body: JSON.stringify(body) })
    })
    const text = await response.text()
    const isJson = /^application\/json/.test(response.headers.get('content-type') ?? '')
    const cookies = response.headers.getSetCookie().map((one) => one.split(';')[0])
    return {
      status: response.status,
      body: isJson ? JSON.parse(text) : text,
      cookie: cookies.join('; '),
      headers: response.headers
    }
  }
  return {
    ask,
    signIn: (email: string, password = PASSWORD) =>
      ask('POST', '/admin/auth/sign-in/email', { body: { email, password } }),
    /** Somebody who was invited and has chosen a password. */
    async person(email: string, role: Role) {
      const { url } = await service.admin('POST', '/team/invitations', { email, role })
      const token = new URL(url).hash.slice(1)
      const account = { token, name: email.split('@')[0], email, password: PASSWORD }
      const { status, cookie } = await ask('POST', '/admin/auth/invitation', { body: account })
      if (status !== 200) throw new Error(`${email} could not accept the invitation: ${status}`)
      const { body } = await ask('GET', '/admin/api/me', { cookie })
      return { id: body.person.id as string, name: body.person.name as string, email, role, cookie }
    }
  }
}
