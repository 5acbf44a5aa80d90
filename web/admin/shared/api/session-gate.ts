import { observable } from '../observable.ts'

/** Whether requests wait for somebody to sign in. The page stays as it is meanwhile, with everything that was typed. */
export const isSignInNeeded = observable(false)

let waiting: PromiseWithResolvers<void> | undefined

/** Ends when somebody has signed in. All requests that were refused for want of a session wait for the same sign-in. */
export function signedIn(): Promise<void> {
  waiting ??= Promise.withResolvers<void>()
  isSignInNeeded.set(true)
  return waiting.promise
}

/** Lets the waiting requests be repeated. */
export function openGate(): void {
  waiting?.resolve()
  waiting = undefined
  isSignInNeeded.set(false)
}
