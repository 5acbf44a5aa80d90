import { Type } from 'typebox'
import {
  acceptInvitation,
  MAX_EMAIL_CHARACTERS,
  MAX_NAME_CHARACTERS,
  MAX_PASSWORD_CHARACTERS,
  MIN_PASSWORD_CHARACTERS
} from '#team'
import { notBlank } from '../../shared/not-blank.ts'
import type { Surface } from '../../shared/surface.ts'
import type { SignInDeps } from '../deps.ts'
import { forward } from '../forward.ts'
import { noteSignIn, personOfEmail } from '../note-sign-ins.ts'
import { TokenField } from './token.ts'

/** POST /invitation: makes the account, or gives it the password, and signs in. */
export function acceptInvitationRoute(surface: Surface, { db, signIn, install, asGuess }: SignInDeps): void {
  surface.post(
    '/invitation',
    {
      config: { allow: 'person' },
      schema: {
        body: Type.Object({
          token: TokenField,
          name: notBlank(MAX_NAME_CHARACTERS, { meaning: 'How others see the person', examples: ['Ada Lovelace'] }),
          email: Type.String({
            format: 'email',
            maxLength: MAX_EMAIL_CHARACTERS,
            description: 'an e-mail address',
            meaning: 'By which the person signs in; a link that was made for an address keeps that',
            examples: ['ada@example.com']
          }),
          password: Type.String({
            minLength: MIN_PASSWORD_CHARACTERS,
            maxLength: MAX_PASSWORD_CHARACTERS,
            description: `a text of ${MIN_PASSWORD_CHARACTERS} to ${MAX_PASSWORD_CHARACTERS} characters`,
            examples: ['a sentence nobody else would say']
          })
        })
      }
    },
    (request, reply) => {
      const { token, name, email, password } = request.body
      return asGuess(request, reply, async () => {
        const address = await acceptInvitation(db, token, { name: name.trim(), email, password })
        // Whatever comes of signing in: the password is another one.
        const person = await personOfEmail(db, address)
        if (person) await noteSignIn(db, request, { ...person, operation: 'acceptInvitation' }, 200)
        const body = { email: address, password }
        return forward({ signIn, publicUrl: install.publicUrl() }, request, reply, { path: '/sign-in/email', body })
      })
    }
  )
}
