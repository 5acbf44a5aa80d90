import { invalidField } from '#kit/refusal'
import { GUESSABLE, MAX_NAME_CHARACTERS, SIGN_IN_ROUTES } from '#team'
import type { Surface } from '../shared/surface.ts'
import type { SignInDeps } from './deps.ts'
import { forward } from './forward.ts'
import { tryPassword } from './password-tries.ts'
import { requireVerifiedUser, verifying } from './verified-user.ts'

type Body = { email?: unknown; password?: unknown; currentPassword?: unknown; name?: unknown } | null

/** What the library answers, which checks the fields itself; here is what it does not. */
export function libraryRoutes(surface: Surface, { db, signIn, install, asGuess }: SignInDeps): void {
  for (const route of SIGN_IN_ROUTES) {
    const [method, path] = route.split(' ') as ['GET' | 'POST', string]
    surface.route({
      method,
      url: path,
      config: { allow: 'person' },
      async handler(request, reply) {
        const body = request.body as Body
        const ask = () => forward({ signIn, publicUrl: install.publicUrl() }, request, reply, { path, body })
        if (path === '/update-user') requireName(body?.name)
        if (path === '/passkey/generate-authenticate-options') return verifying(await ask())
        if (!GUESSABLE.has(route)) return ask()
        return asGuess(request, reply, async () => {
          if (path === '/passkey/verify-authentication') requireVerifiedUser(body)
          if (!body?.password && !body?.currentPassword) return ask()
          return tryPassword(db, body.email ?? (await emailOf(request.headers.cookie)), ask)
        })
      }
    })
  }

  /** Whose password is asked for again, of somebody who is signed in. */
  async function emailOf(cookie: string | undefined): Promise<string | undefined> {
    return cookie ? (await signIn.sessionOf(new Headers({ cookie })))?.email : undefined
  }
}

function requireName(name: unknown): void {
  const isName = typeof name === 'string' && name.trim() !== '' && name.length <= MAX_NAME_CHARACTERS
  if (!isName) throw invalidField('name', `must be a text of 1 to ${MAX_NAME_CHARACTERS} characters that is not blank`)
}
