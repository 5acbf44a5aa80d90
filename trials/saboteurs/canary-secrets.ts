import { type Edit, type Saboteur, slice } from './saboteur.ts'

const SECRETS = 'src/kit/secrets.ts'

const without = (failsWith: string, ...edits: Edit[]): Saboteur => ({
  trial: 'canary-secrets',
  run: slice('canary-secrets-trial'),
  trialThen: { failsWith },
  edits
})

export const canarySecretsSaboteurs: Record<string, Saboteur> = {
  'a URL is logged as it came': without('is in the log', {
    file: 'src/http/server/request-log.ts',
    from: ': loggedUrl(request.originalUrl)',
    to: ': loggedUrl(request.originalUrl) && request.originalUrl'
  }),
  'the hint of a key is most of the key': without('an API key is in the keys', {
    file: 'src/stores/keys/key-text.ts',
    from: 'return key.slice(-4)',
    to: 'return key.slice(-32)'
  }),
  'secrets are kept in plain text': without(
    'is in the database',
    {
      file: SECRETS,
      from: 'return Buffer.concat([Buffer.from([VERSION]), nonce, ...body, cipher.getAuthTag()])',
      to: 'return Buffer.concat([Buffer.from([VERSION]), nonce, ...body.slice(2), Buffer.from(text), cipher.getAuthTag()])'
    },
    {
      file: SECRETS,
      from: 'decipher.setAAD(bound(purpose)).setAuthTag(sealed.subarray(-TAG_BYTES))\n      try {',
      to: 'decipher.setAAD(bound(purpose)).setAuthTag(sealed.subarray(-TAG_BYTES))\n      try {\n        if (sealed) return sealed.subarray(1 + NONCE_BYTES, -TAG_BYTES).toString()'
    }
  )
}
