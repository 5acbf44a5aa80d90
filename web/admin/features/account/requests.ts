import { ApiError } from '../../shared/api/errors.ts'
import { signedIn } from '../../shared/api/session-gate.ts'
import * as auth from '../../shared/session/auth.ts'

const get = <T>(path: string) => inSession(() => auth.get<T>(path))
const post = (path: string, body: object) => inSession(() => auth.post(path, body))

/** A wrong code is refused like a session that has ended; after that one somebody signs in, and it is asked again. */
async function inSession<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask()
  } catch (err) {
    if (!(err instanceof ApiError) || err.status !== 401 || (await auth.findMe()) !== null) throw err
    await signedIn()
    return inSession(ask)
  }
}

export type Passkey = { id: string; name: string | null; createdAt: string | null }

/** What somebody changes about their own account. The library for signing in answers; its names are its own. */
export const rename = (name: string) => post('/auth/update-user', { name })

/** Ends the sessions of all other browsers too. */
export const changePassword = ({ current, next }: { current: string; next: string }) =>
  post('/auth/change-password', { currentPassword: current, newPassword: next, revokeOtherSessions: true })

export const endOtherSessions = () => post('/auth/revoke-other-sessions', {})

export type NewSecondFactor = { totpURI: string; backupCodes: string[] }

/** Begins; a code of the app completes it. */
export const beginSecondFactor = (password: string) =>
  post('/auth/two-factor/enable', { password }) as Promise<NewSecondFactor>

export const confirmSecondFactor = (code: string) => post('/auth/two-factor/verify-totp', { code })

export const endSecondFactor = (password: string) => post('/auth/two-factor/disable', { password })

export const newBackupCodes = (password: string) =>
  post('/auth/two-factor/generate-backup-codes', { password }) as Promise<{ backupCodes: string[] }>

export const listPasskeys = () => get<Passkey[]>('/auth/passkey/list-user-passkeys')

/** Has the browser make a passkey and the service keep it. Throws a DOMException when the person closes the browser's dialog. */
export async function addPasskey(name: string): Promise<void> {
  const options = await get<PublicKeyCredentialCreationOptionsJSON>('/auth/passkey/generate-register-options')
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options)
  const credential = (await navigator.credentials.create({ publicKey })) as PublicKeyCredential
  await post('/auth/passkey/verify-registration', { response: credential.toJSON(), name })
}

export const removePasskey = (id: string) => post('/auth/passkey/delete-passkey', { id })
