import type { FastifyInstance } from 'fastify'
import { SIGN_IN_PATH, type SignIn } from '#team'
import type { HttpDeps } from '../shared/deps.ts'
import { statusOf } from '../shared/error-body.ts'
import { refuseOtherSites } from '../shared/same-origin.ts'
import { openSurface } from '../shared/surface.ts'
import type { SignInDeps } from './deps.ts'
import { createGuesses } from './guesses.ts'
import { noteSignIns } from './note-sign-ins.ts'
import { signInErrorBody } from './refused.ts'
import * as routes from './routes.ts'

/** How people of the admin interface sign in: the paths of the library, and the one-time links by which they get their accounts. */
export function registerSignIn(app: FastifyInstance, deps: HttpDeps & { signIn: SignIn }): void {
  openSurface<SignInDeps>(app, {
    name: 'sign_in',
    prefix: SIGN_IN_PATH,
    errors: { statusOf, errorBody: signInErrorBody },
    routes: Object.values(routes),
    deps: { ...deps, asGuess: createGuesses(deps.limiter) },
    hooks(surface) {
      surface.addHook('onRequest', async (request) => refuseOtherSites(request))
      noteSignIns(surface, deps)
    }
  })
}
