import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Database } from '#kit/postgres'
import { beginChange, findPersonByEmail, SIGN_IN_PATH, type SIGN_IN_ROUTES, type SignIn } from '#team'
import { askedFrom } from '../shared/asked-from.ts'
import type { Surface } from '../shared/surface.ts'

type Path = PathOfPost<(typeof SIGN_IN_ROUTES)[number]> | '/invitation'
type PathOfPost<Route> = Route extends `POST ${infer Path}` ? Path : never

/** What people do here, as the log of changes names it. */
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
  '/passkey/delete-passkey': 'deletePasskey',
  '/invitation': 'acceptInvitation'
}

/** What is refused for its number is not noted: it could fill the log. */
const TRIED_TOO_OFTEN = 429

type Person = { personId: string; personName: string }

declare module 'fastify' {
  interface FastifyRequest {
    /** Who was signed in when the request came: signing out ends that. */
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
    if (operationOf(request)) request.signedInBefore = await personOf(request.headers.cookie)
  })
  surface.addHook('onSend', async (request, reply) => {
    const operation = operationOf(request)
    if (!operation || reply.statusCode === TRIED_TOO_OFTEN) return
    try {
      const person =
        (await personOf(cookiesOf(reply))) ??
        request.signedInBefore ??
        (operation === OPERATIONS['/sign-in/email'] ? await personTried(request) : null)
      if (!person) return
      await beginChange(
        db,
        { ...askedFrom(request), ...person, operation, storeNumber: null, fields: [] },
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

  /** Whose password was tried. */
  async function personTried({ body }: FastifyRequest): Promise<Person | null> {
    const { email } = (body ?? {}) as { email?: unknown }
    if (typeof email !== 'string') return null
    const found = await db.inInstallation((tx) => findPersonByEmail(tx, email))
    return found && { personId: found.id, personName: found.name }
  }
}

const operationOf = ({ method, routeOptions: { url = '' } }: FastifyRequest): string | undefined =>
  method === 'POST' ? OPERATIONS[url.slice(SIGN_IN_PATH.length) as Path] : undefined

/** The cookies that a response sets, as the browser sends them back. */
const cookiesOf = (reply: FastifyReply): string | undefined =>
  [reply.getHeader('set-cookie') ?? []]
    .flat()
    .map((cookie) => String(cookie).split(';')[0])
    .join('; ')
