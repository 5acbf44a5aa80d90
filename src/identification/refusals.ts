import { invalidField, Refusal } from '#kit/refusal'

export const notOffered = () =>
  new Refusal('forbidden', 'This shop does not identify customers by a mailed code: svc_otp and softlogin are off')

/** The same for every reason, so that nobody learns which ids there are, whose they are, or how often was guessed. */
export const wrongCode = () =>
  invalidField('code', 'is wrong, was used, has expired, or was tried too often: ask for a new one')

export const notIdentified = () =>
  new Refusal(
    'authentication_failed',
    'The token is not one of this shop, or its 30 minutes are over: ask for a new code'
  )
