import type { SignIn } from '#team'
import type { HttpDeps } from '../shared/deps.ts'
import type { AsGuess } from './guesses.ts'

/** What the routes by which people sign in are given. */
export type SignInDeps = HttpDeps & { signIn: SignIn; asGuess: AsGuess }
