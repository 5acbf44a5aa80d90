import { isEmbedded } from '../api/embedding.ts'
import { ApiError } from '../api/errors.ts'
import { send } from '../api/fetch-in-session.ts'

/** The roles of people who sign in. */
export type TeamRole = 'owner' | 'developer' | 'support' | 'read_only'

/** `staff`: the people of a shop, in the platform's admin. */
export type Role = TeamRole | 'staff'

/** Who is signed in, and what they may do. */
export type Me = {
  /** Null for the people of a shop. `two_factor`: whether they are asked for a code of an app beside the password. */
  person: { id: string; name: string; email: string; two_factor: boolean } | null
  role: Role
  permissions: string[]
}

/** What a one-time link is for: an account, whose address is free for the first owner, or a new password. */
export type Invitation = { role: Role; email: string | null; for_new_password: boolean; expires_at: string }

export type FirstStep = { next: 'done' | 'second-factor' }

export const signIn = (email: string, password: string): Promise<FirstStep> =>
  post('/auth/sign-in/email', { email, password }).then(firstStepOf)

const firstStepOf = (body: unknown): FirstStep => ({
  next: (body as { twoFactorRedirect?: boolean }).twoFactorRedirect ? 'second-factor' : 'done'
})

export const verifyTotp = (code: string) => post('/auth/two-factor/verify-totp', { code })

export const verifyBackupCode = (code: string) => post('/auth/two-factor/verify-backup-code', { code })

export const signOut = () => post('/auth/sign-out', {})

/** Browsers have had passkeys as JSON since 2025; older ones sign in by password. */
export const hasPasskeys = () =>
  'PublicKeyCredential' in window && 'parseRequestOptionsFromJSON' in window.PublicKeyCredential

/** Throws a DOMException when the person closes the browser's dialog. */
export async function signInWithPasskey(): Promise<void> {
  const options = await get<PublicKeyCredentialRequestOptionsJSON>('/auth/passkey/generate-authenticate-options')
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options)
  const credential = (await navigator.credentials.get({ publicKey })) as PublicKeyCredential
  await post('/auth/passkey/verify-authentication', { response: credential.toJSON() })
}

/** Null without a session. */
export async function findMe(): Promise<Me | null> {
  return get<Me>('/api/me').catch((err) => {
    if (err instanceof ApiError && err.status === 401 && !isEmbedded) return null
    throw err
  })
}

export const findInvitation = (token: string) => post('/auth/invitation/show', { token }) as Promise<Invitation>

/** Whoever has a second factor is asked for it after a new password too. */
export const acceptInvitation = (body: {
  token: string
  name: string
  email: string
  password: string
}): Promise<FirstStep> => post('/auth/invitation', body).then(firstStepOf)

/** Reads from the sign-in; `path` is below /admin. */
export const get = <T>(path: string) => call(path, { method: 'GET' }) as Promise<T>

/** Asks the sign-in for a change. Throws an ApiError for what it refuses. */
export const post = (path: string, body: object) =>
  call(path, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) })

async function call(path: string, init: RequestInit): Promise<unknown> {
  const response = await send(new Request(`/admin${path}`, init))
  const body: unknown = await response.json().catch(() => null)
  if (!response.ok) throw new ApiError(response, body)
  return body ?? {}
}
