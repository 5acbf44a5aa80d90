import { GUESSABLE, SIGN_IN_ROUTES } from '#team'
import type { Surface } from '../shared/surface.ts'
import type { SignInDeps } from './deps.ts'
import { forward } from './forward.ts'
import { tryPassword } from './password-tries.ts'

const WITH_PASSWORD = '/sign-in/email'

/** What the library answers, which checks the fields itself. */
export function libraryRoutes(surface: Surface, { db, signIn, install, asGuess }: SignInDeps): void {
  for (const route of SIGN_IN_ROUTES) {
    const [method, path] = route.split(' ') as ['GET' | 'POST', string]
    surface.route({
      method,
      url: path,
      config: { allow: 'person' },
      handler(request, reply) {
        const body = request.body as { email?: unknown } | null
        const ask = () => forward({ signIn, publicUrl: install.publicUrl() }, request, reply, { path, body })
        if (!GUESSABLE.has(route)) return ask()
        return asGuess(request, reply, path === WITH_PASSWORD ? () => tryPassword(db, body?.email, ask) : ask)
      }
    })
  }
}
