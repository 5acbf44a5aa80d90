import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Database } from '#kit/postgres'
import { beginChange, findHalfSignedIn, findPersonByEmail, SIGN_IN_PATH, type SIGN_IN_ROUTES, type SignIn } from '#team'
import { askedFrom } from '../shared/asked-from.ts'
import type { Surface } from '../shared/surface.ts'

type Path = PathOfPost<(typeof SIGN_IN_ROUTES)[number]>
type PathOfPost<Route> = Route extends `POST ${infer Path}` ? Path : never

/** What people do here, as the log of changes names it. An invitation is noted by its route. */
const OPERATIONS: Record<Path, string> = {
  '/sign-in/email': 'signIn',
  '/sign-out': 'signOut',
  '/change-password': 'changePassword',
  '/update-user': 'changeName',
  '/revoke-other-sessions': 'endOtherSessions',
  '/two-factor/enable': 'enableTwoFactor',
  '/two-factor/disable': 'disableTwoFactor',
  '/two-factor/verify-totp': 'enterCode',
  '/two-factor/verify-backup-code': 'enterBackupCode',
  '/two-factor/generate-backup-codes': 'makeBackupCodes',
  '/passkey/verify-registration': 'addPasskey',
  '/passkey/verify-authentication': 'signInByPasskey',
  '/passkey/update-passkey': 'renamePasskey',
  '/passkey/delete-passkey': 'deletePasskey'
}
/** A right password of somebody who is asked for a code next. */
const PASSWORD_ONLY = 'enterPassword'

/** What is refused for its number is not noted: it could fill the log. */
const TRIED_TOO_OFTEN = 429

/** The value of the cookie of somebody whose password was right, until a code follows. */
const HALF_SIGNED_IN = /two_factor=(2fa-[\w-]{20})/

type Person = { personId: string; personName: string }

declare module 'fastify' {
  interface FastifyRequest {
    /** Who was signed in when the request came, or had entered a password: both may have ended by then. */
    signedInBefore: Person | null
  }
}

/**
 * Notes in the log of changes who signs in, tries to, and changes how: once that is answered, since only then it is known who it was. What nobody
 * with an account is known of is not noted.
 */
export function noteSignIns(surface: Surface, { db, signIn }: { db: Database; signIn: SignIn }): void {
  surface.decorateRequest('signedInBefore', null)
  surface.addHook('preHandler', async (request) => {
    if (!pathOf(request)) return
    const { cookie } = request.headers
    request.signedInBefore = (await personOf(cookie)) ?? (await personAskedForCode(cookie))
  })
  surface.addHook('onSend', async (request, reply) => {
    const path = pathOf(request)
    if (!path || reply.statusCode === TRIED_TOO_OFTEN) return
    try {
      const isIn = await personOf(cookiesOf(reply))
      // Whoever is signed in may try the password of somebody else.
      const person = isIn ?? (path === '/sign-in/email' ? await personTried(db, request) : request.signedInBefore)
      const isHalfIn = path === '/sign-in/email' && !isIn && reply.statusCode < 300
      if (person)
        await noteSignIn(
          db,
          request,
          { ...person, operation: isHalfIn ? PASSWORD_ONLY : OPERATIONS[path] },
          reply.statusCode
        )
    } catch (err) {
      request.log.warn({ err }, `Who signed in was not noted: ${(err as Error).message}`)
    }
  })

  async function personOf(cookie: string | undefined): Promise<Person | null> {
    const found = cookie ? await signIn.sessionOf(new Headers({ cookie })) : null
    return found && { personId: found.personId, personName: found.name }
  }

  async function personAskedForCode(cookie: string | undefined): Promise<Person | null> {
    const [, identifier] = HALF_SIGNED_IN.exec(cookie ?? '') ?? []
    return identifier ? db.inInstallation((tx) => findHalfSignedIn(tx, identifier)).then(asPerson) : null
  }
}

/** Notes something that somebody did about their own account. */
export async function noteSignIn(
  db: Database,
  request: FastifyRequest,
  change: Person & { operation: string },
  status: number
): Promise<void> {
  await beginChange(db, { ...askedFrom(request), ...change, storeNumber: null, fields: [] }, status)
}

/** Whose address it is. */
export const personOfEmail = async (db: Database, email: string): Promise<Person | null> =>
  asPerson(await db.inInstallation((tx) => findPersonByEmail(tx, email)))

/** Whose password was tried. */
function personTried(db: Database, { body }: FastifyRequest): Promise<Person | null> | null {
  const { email } = (body ?? {}) as { email?: unknown }
  return typeof email === 'string' ? personOfEmail(db, email) : null
}

const asPerson = (found: { id: string; name: string } | null): Person | null =>
  found && { personId: found.id, personName: found.name }

function pathOf({ method, routeOptions: { url = '' } }: FastifyRequest): Path | null {
  const path = url.slice(SIGN_IN_PATH.length) as Path
  return method === 'POST' && path in OPERATIONS ? path : null
}

/** The cookies that a response sets, as the browser sends them back. */
const cookiesOf = (reply: FastifyReply): string | undefined =>
  [reply.getHeader('set-cookie') ?? []]
    .flat()
    .map((cookie) => String(cookie).split(';')[0])
    .join('; ')
