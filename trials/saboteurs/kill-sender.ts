import { type Saboteur, slice } from './saboteur.ts'

export const killSenderSaboteurs: Record<string, Saboteur> = {
  'a delivery has another webhook_id in every process': {
    trial: 'kill-sender',
    run: slice('kill-sender'),
    trialThen: { failsWith: 'bears another id in its header' },
    edits: [
      {
        file: 'src/webhooks/signing/sign-delivery.ts',
        from: "    'webhook-id',\n    webhookId,",
        to: "    'webhook-id',\n    webhookId + process.pid,"
      }
    ]
  },
  'a try that was interrupted is forgotten': {
    trial: 'kill-sender',
    run: slice('kill-sender'),
    trialThen: { failsWith: 'had more tries than the history shows' },
    edits: [
      {
        file: 'src/webhooks/sending/lease-due-deliveries.ts',
        from: 'const interrupted = all.filter((delivery) => delivery.wasStarted)',
        to: 'const interrupted = all.filter(() => false)'
      },
      {
        file: 'src/webhooks/sending/lease-due-deliveries.ts',
        from: 'const whole = all.filter((delivery) => !delivery.wasStarted)',
        to: 'const whole = all'
      }
    ]
  },
  'events of a customer do not wait for each other': {
    trial: 'kill-sender',
    run: slice('kill-sender'),
    trialThen: { failsWith: ' came after ' },
    edits: [
      {
        file: 'src/webhooks/queue/insert-deliveries.ts',
        from: 'r.max_tries, true, r.ready,',
        to: 'r.max_tries, true, true,'
      }
    ]
  }
}
