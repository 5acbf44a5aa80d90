import type { Database } from '#kit/postgres'
import type { Vault } from '#kit/secrets'
import { hashPassword, isPassword } from './passwords.ts'
import { MAX_PASSWORD_CHARACTERS, MIN_PASSWORD_CHARACTERS } from './person.ts'
import type { Role } from './roles.ts'

/** The path below which the library answers. */
export const SIGN_IN_PATH = '/admin/auth'

/** The header in which the address of the caller is told to the library; nobody else may set it. */
export const ADDRESS_HEADER = 'x-perennial-address'

const SESSION_SECONDS = 7 * 24 * 3600
const RENEWED_AFTER_SECONDS = 24 * 3600
const LOCKED_SECONDS = 15 * 60
const MAX_WRONG_CODES = 10

export type SignInOptions = {
  db: Database
  /** Of a key of it cookies are signed and the secrets of authenticator apps are encrypted. */
  vault: Pick<Vault, 'derive'>
  /** Where people open the interface, such as https://members.example.com. */
  publicUrl: () => string
  /** What the library says of its own errors. */
  warn: (message: string) => void
  /** Has the library compare its tables with those of the database before it uses them: for tests, since our migrations make them. */
  checksTables?: boolean
}

/** Who has a session, as they are now. */
export type SignedIn = {
  personId: string
  name: string
  email: string
  role: Role
  twoFactorEnabled: boolean
  sessionId: string
}

export type SignIn = {
  /** Answers a request to one of `SIGN_IN_ROUTES`. */
  respond(request: Request): Promise<Response>
  /**
   * Whose session the cookies of a request name; null for none, or one that has ended. `setCookies` are for the browser: a session that is used is
   * there for longer.
   */
  sessionOf(headers: Headers): Promise<(SignedIn & { setCookies: string[] }) | null>
}

/** What people can do with the library, by method and path below `SIGN_IN_PATH`. It has more; nothing else is reachable. */
export const SIGN_IN_ROUTES = [
  'POST /sign-in/email',
  'POST /sign-out',
  'POST /change-password',
  'POST /update-user',
  'POST /revoke-other-sessions',
  'POST /two-factor/enable',
  'POST /two-factor/disable',
  'POST /two-factor/verify-totp',
  'POST /two-factor/verify-backup-code',
  'POST /two-factor/generate-backup-codes',
  'GET /passkey/generate-register-options',
  'POST /passkey/verify-registration',
  'GET /passkey/generate-authenticate-options',
  'POST /passkey/verify-authentication',
  'GET /passkey/list-user-passkeys',
  'POST /passkey/update-passkey',
  'POST /passkey/delete-passkey'
] as const

/** Where a credential is tried: what counts as a guess there. */
export const GUESSABLE = new Set([
  'POST /sign-in/email',
  'POST /change-password',
  'POST /two-factor/enable',
  'POST /two-factor/disable',
  'POST /two-factor/verify-totp',
  'POST /two-factor/verify-backup-code',
  'POST /two-factor/generate-backup-codes',
  'POST /passkey/verify-authentication'
])

/**
 * Signing in with password, second factor and passkey. The library is loaded with the first request that needs it: it takes longer to load
 * than the rest of the service.
 */
export function createSignIn(options: SignInOptions): SignIn {
  let loaded: ReturnType<typeof loadLibrary> | null = null
  const library = () => {
    loaded ??= loadLibrary(options).catch((err) => {
      loaded = null
      throw err
    })
    return loaded
  }
  return {
    respond: async (request) => (await library()).handler(request),
    async sessionOf(headers) {
      if (!headers.get('cookie')?.includes(COOKIE_PREFIX)) return null
      const answer = await (await library()).api.getSession({ headers, returnHeaders: true })
      const found = answer.response
      if (!found) return null
      const { id, name, email, role, twoFactorEnabled } = found.user
      return {
        ...{ personId: id, name, email, role: role as Role },
        ...{ twoFactorEnabled: twoFactorEnabled === true, sessionId: found.session.id },
        setCookies: answer.headers.getSetCookie()
      }
    }
  }
}

const COOKIE_PREFIX = 'perennial'

async function loadLibrary({ db, vault, publicUrl, warn, checksTables = false }: SignInOptions) {
  const { betterAuth } = await import('better-auth')
  const { twoFactor } = await import('better-auth/plugins/two-factor')
  const { passkey } = await import('@better-auth/passkey')
  const { origin, hostname, protocol } = new URL(publicUrl())
  return betterAuth({
    appName: 'Perennial',
    baseURL: origin,
    basePath: SIGN_IN_PATH,
    secret: vault.derive('team:sign-in:v1').reveal(),
    trustedOrigins: [origin],
    database: db.libraryPool as never,
    telemetry: { enabled: false },
    logger: { level: 'error', log: (_level, message) => warn(`Signing in: ${message}`) },
    emailAndPassword: {
      enabled: true,
      // People come by an invitation.
      disableSignUp: true,
      minPasswordLength: MIN_PASSWORD_CHARACTERS,
      maxPasswordLength: MAX_PASSWORD_CHARACTERS,
      revokeSessionsOnPasswordReset: true,
      password: { hash: hashPassword, verify: ({ hash, password }) => isPassword(hash, password) }
    },
    // Wrong credentials are counted where requests arrive, over all nodes.
    rateLimit: { enabled: false },
    session: {
      modelName: 'team_sessions',
      expiresIn: SESSION_SECONDS,
      updateAge: RENEWED_AFTER_SECONDS,
      fields: {
        ...TIMES,
        expiresAt: 'expires_at',
        ipAddress: 'ip_address',
        userAgent: 'user_agent',
        userId: 'person_id'
      }
    },
    user: {
      modelName: 'team_people',
      fields: { ...TIMES, emailVerified: 'email_verified' },
      additionalFields: { role: { type: 'string', input: false } }
    },
    account: {
      modelName: 'team_accounts',
      fields: {
        ...TIMES,
        accountId: 'account_id',
        providerId: 'provider_id',
        userId: 'person_id',
        accessToken: 'access_token',
        refreshToken: 'refresh_token',
        idToken: 'id_token',
        accessTokenExpiresAt: 'access_token_expires_at',
        refreshTokenExpiresAt: 'refresh_token_expires_at'
      }
    },
    verification: { modelName: 'team_verifications', fields: { ...TIMES, expiresAt: 'expires_at' } },
    advanced: {
      cookiePrefix: COOKIE_PREFIX,
      useSecureCookies: protocol === 'https:',
      ipAddress: { ipAddressHeaders: [ADDRESS_HEADER] },
      database: { validateSchema: checksTables }
    },
    plugins: [
      twoFactor({
        issuer: 'Perennial',
        accountLockout: { enabled: true, maxFailedAttempts: MAX_WRONG_CODES, durationSeconds: LOCKED_SECONDS },
        schema: TWO_FACTOR_SCHEMA
      }),
      passkey({
        ...{ rpID: hostname, rpName: 'Perennial', origin, schema: PASSKEY_SCHEMA },
        authenticatorSelection: { residentKey: 'preferred', userVerification: 'required' }
      })
    ]
  })
}

const TIMES = { createdAt: 'created_at', updatedAt: 'updated_at' }

const TWO_FACTOR_SCHEMA = {
  user: { fields: { twoFactorEnabled: 'two_factor_enabled' } },
  twoFactor: {
    modelName: 'team_two_factors',
    fields: {
      backupCodes: 'backup_codes',
      userId: 'person_id',
      failedVerificationCount: 'failed_verification_count',
      lockedUntil: 'locked_until'
    }
  }
}

const PASSKEY_SCHEMA = {
  passkey: {
    modelName: 'team_passkeys',
    fields: {
      publicKey: 'public_key',
      userId: 'person_id',
      credentialID: 'credential_id',
      deviceType: 'device_type',
      backedUp: 'backed_up',
      createdAt: 'created_at'
    }
  }
}
