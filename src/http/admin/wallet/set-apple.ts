import { Type } from 'typebox'
import { setAppleCredentials } from '#wallet'
import type { Surface } from '../../shared/surface.ts'
import type { AdminDeps } from '../deps.ts'
import { text } from '../fields.ts'
import { StoreParams } from '../store.ts'
import { readWallet, WalletBody } from './present-wallet.ts'

const pem = (meaning: string) =>
  Type.String({ minLength: 1, maxLength: 20_000, description: 'a text as PEM', meaning, examples: ['-----BEGIN…'] })

/** POST /stores/{store}/wallet/apple */
export function setAppleWalletRoute(admin: Surface, { vault }: AdminDeps): void {
  admin.post(
    '/stores/:store/wallet/apple',
    {
      config: { allow: 'manage' },
      schema: {
        operationId: 'setAppleWallet',
        summary: 'Set what signs passes for Apple Wallet',
        description:
          'Checked before it is kept: the key belongs to the certificate, which is valid and issued by the WWDR certificate. It is kept encrypted and never shown. Returns what is set.',
        params: StoreParams,
        body: Type.Object({
          certificate: pem('The certificate of the pass type'),
          key: pem('Its private key'),
          passphrase: Type.Optional(text(1000, undefined, { meaning: 'Of an encrypted key. It is not kept' })),
          wwdr: pem("Apple's certificate that issued it (WWDR)"),
          pass_type_id: Type.Optional(
            text(205, 'an identifier that begins with pass.', {
              meaning: 'That of the certificate when it is left out',
              examples: ['pass.com.example.members']
            })
          ),
          team_id: Type.Optional(
            text(10, 'ten capital letters and digits', {
              meaning: 'That of the certificate when it is left out',
              examples: ['ABCDE12345']
            })
          )
        }),
        response: { 200: WalletBody }
      }
    },
    (request) =>
      request.inStore(async (ctx) => {
        const { certificate, key, passphrase, wwdr, pass_type_id: passTypeId, team_id: teamId } = request.body
        await setAppleCredentials(ctx, { certificate, key, passphrase, wwdr, passTypeId, teamId }, vault)
        return readWallet(ctx)
      })
  )
}
