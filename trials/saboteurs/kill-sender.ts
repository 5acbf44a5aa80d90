import { type Saboteur, slice } from './saboteur.ts'

export const killSenderSaboteurs: Record<string, Saboteur> = {
  'a delivery has another webhook_id in every process': {
    trial: 'kill-sender',
    run: slice('kill-sender'),
    trialThen: 'fails',
    edits: [
      {
        file: 'src/webhooks/signing/sign-delivery.ts',
        from: "    'webhook-id',\n    webhookId,",
        to: "    'webhook-id',\n    webhookId + process.pid,"
      }
    ]
  }
}
